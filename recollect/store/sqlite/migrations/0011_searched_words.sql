-- Terms anew: irregular forms are brought home, and tags, categories and metadata are searched with the text.

INSERT INTO record_text (record_text) VALUES ('delete-all');
INSERT INTO record_text (rowid, terms) SELECT pk, searched_terms(content, category, tags, metadata) FROM record;
