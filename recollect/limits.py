"""Bounds that protect the process. Everything that grows has one here; what people tune is in `config`.

Units come last in a name. Raising one of these is a design decision, not a setting.
"""

from __future__ import annotations

CONTENT_BYTES_CEILING = 1 << 20  # whatever the configuration says, one record never holds more
METADATA_BYTES_MAX = 64 * 1024
METADATA_DEPTH_MAX = 16
TAGS_MAX = 64
TAG_CHARS_MAX = 128
NAME_CHARS_MAX = 256  # scope values, session ids, speakers, categories, labels
REASON_CHARS_MAX = 1_000
JUDGEMENT_CHARS_MAX = 300  # of the sentence in which a language model says why
EVIDENCE_ITEMS_MAX = 64
MESSAGES_PER_ADD_MAX = 200_000
EVENTS_PER_OBSERVE_MAX = 200_000

ANSWER_CHARS_MAX = 100_000  # of an answer whose citations are checked
QUERY_CHARS_MAX = 20_000
QUERY_TERMS_MAX = 64
TOP_K_MAX = 1_000
WEIGHT_FACTOR_MAX = 10.0  # of a part of the score, for one search
PAGE_RECORDS_MAX = 10_000
FILTER_DEPTH_MAX = 12
FILTER_LEAVES_MAX = 200
FILTER_VALUES_MAX = 1_000

EDGE_MEMBERS_MAX = 256
GRAPH_DEPTH_MAX = 10
GRAPH_RECORDS_MAX = 10_000

CANDIDATES_MAX = 20_000  # rows one source may hand to fusion
JUDGEMENTS_MAX = 1_000  # pieces of feedback one search looks at
SHOWN_JUDGEMENTS_KEPT = 500  # newest judgements about what windows showed, that their thresholds are tuned by
SHOWN_REMEMBERED = 10_000  # records that windows showed lately, with where they stood
MOVES_KEPT = 100  # newest steps of a threshold
PROPAGATION_DEPTH = 3  # relations a change of belief travels along
PROPAGATION_RECORDS_MAX = 1_000  # records it may reach

PERCEIVED_CHARS_MAX = 100_000  # of a longer text the beginning is read
GIST_CHARS_MAX = 4_000  # … and its very beginning says how it feels, what it is about and what sort it is
STATEMENTS_PER_TEXT_MAX = 64  # what one turn may be taken to say

HEADER_BYTES_MAX = 64 * 1024  # of one request
TOKEN_REFUSALS_PER_MINUTE = 60  # wrong tokens from one address before it has to wait
EVENTS_PER_READ_MAX = 1_000  # rows one event stream looks at in one go
EXPORTS_AT_ONCE_MAX = 2

JOB_PAYLOAD_BYTES_MAX = 256 * 1024
JOB_ATTEMPTS_MAX = 10

YEAR_MIN, YEAR_MAX = 1, 9999
TIME_CHARS_MAX = 200  # of a time in words

FIGURE_MAX = 1e9  # a weight, a strength, a rate, a half-life in days: what a caller may say
HALF_LIFE_DAYS_MIN = 1e-6  # about a tenth of a second
FIGURE_STORED_MAX = FIGURE_MAX**2  # what upkeep may have made of one; a file that is restored holds no more

DOCUMENT_BYTES_MAX = 64 * 1024 * 1024  # a larger file is refused before it is read
PARSED_CODE_BYTES_MAX = 4 * 1024 * 1024  # a larger source file is cut between lines, without a grammar
SECTION_DEPTH_MAX = 16  # headings under headings; deeper ones count as this deep
PARSED_CODE_SECONDS_MAX = 2.0  # a grammar that needs longer meets what is no code; the file is cut between lines
PARSED_CODE_SECONDS_MIN, PARSED_CODE_SECONDS_PER_MB = 0.25, 2.0  # … sooner for a small file: code takes 0.3 s per MB
CODE_FILES_MAX = 100_000  # of one project; more are counted
CODE_LINE_BYTES_MAX = 20_000  # a longer line was written by a program, and the file is left out
CODE_FACTS_KEPT = 50_000  # facts of files that no project has at present, for when a branch comes back
CODE_COMMITS_MAX = 5_000  # of a history that are read, the newest
CODE_ANSWER_ITEMS_MAX = 10_000
PDF_PAGES_MAX = 10_000
PDF_SECONDS_MAX = 60.0  # pages may share a stream: few bytes can take hours to read
FOLDER_FILES_MAX = 200_000
FOLDER_DEPTH_MAX = 100

EXPORT_LINE_BYTES_MAX = 16 * 1024 * 1024  # a line of an export or of a file to import; a record is a tenth of that
EXPORT_LINES_MAX = 50_000_000
IMPORT_BYTES_MAX = 256 * 1024 * 1024  # a file of another program that has to be read whole
ARCHIVE_MEMBERS_MAX = 100_000  # of a ZIP; looked at by name, only conversations are opened
ARCHIVE_LIST_BYTES_MAX = 16 * 1024 * 1024  # of the names of its members
ARCHIVE_RATIO_MAX = 200  # one that would grow more than that is a bomb
IMPORT_ENTRIES_MAX = 1_000_000  # conversations, memories, lines of a file of another program
IMPORT_ITEMS_MAX = 500_000  # what can be made of them: each is held until all of the file is read
IMPORT_VALUES_MAX = 10_000_000  # texts, numbers, lists, objects in all of it
IMPORT_PIECE_VALUES_MAX = 2_000_000  # … and in what is parsed in one go: about 100 bytes of memory each
PASSPHRASE_CHARS_MAX = 1_024
ARGON2_MEMORY_KIB_MAX = 1 << 20  # memory that the header of a vault may ask for to make its key: 1 GiB
SCRYPT_BYTES_MAX = 256 * 1024 * 1024  # memory that a sealed file may ask for to make its key

EXCHANGE_CHARS_MAX = 8_000  # of what was just said or answered the beginning is held in mind
HANDED_OVER_MAX = 256  # slots that wait to be kept; nobody asks for them, the oldest go

SANDBOX_MEMORY_MB_MIN = 32  # the interpreter itself takes about half of this
SANDBOX_CHARS_MAX = 500_000  # of output and of a result: keeps every answer inside one frame
SPAN_MAX = 4096  # rows one entry of the journal may cover: bounds the range in which a row's entries are looked for
REPORT_CHARS_MAX = 8 << 20  # of a report of tests or of a review
TURN_MESSAGES_MAX = 1_000  # of one turn between its calls
TURN_CHARS_MAX = 2_000_000
