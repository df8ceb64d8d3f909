"""Language models and what they can do: one line for each name they begin with.

The longest name that a model begins with is its line, so dates, sizes and "-latest" need none of their own; the line of
a whole family (`*`) is the careful guess about a member that came after this table. Figures are those of the providers
as `litellm` 1.108 and `genai-prices` 0.2 keep them, and of Engram for models these do not list.
Vocabularies of Gemini are those that Google's own library counts with (google-genai, `local_tokenizer`).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

# name · window · longest answer · tools, vision, thinking · tokenizer
_TABLE = """
openai
  gpt-3.5-turbo           16385    4096  t-- cl100k_base
  gpt-4                    8192    4096  t-- cl100k_base
  gpt-4-32k               32768    4096  t-- cl100k_base
  gpt-4-turbo            128000    4096  tv- cl100k_base
  gpt-4-1106-preview     128000    4096  t-- cl100k_base
  gpt-4-0125-preview     128000    4096  t-- cl100k_base
  gpt-4o                 128000   16384  tv- o200k_base
  gpt-4o-2024-05-13      128000    4096  tv- o200k_base
  chatgpt-4o             128000   16384  -v- o200k_base
  gpt-4.1               1047576   32768  tv- o200k_base
  gpt-4.5                128000   16384  tv- o200k_base
  gpt-5                  400000  128000  tvr o200k_base
  gpt-5-chat             128000   16384  tv- o200k_base
  gpt-5-pro              400000  272000  tvr o200k_base
  gpt-5.1                400000  128000  tvr o200k_base
  gpt-5.1-chat           128000   16384  tvr o200k_base
  gpt-5.2                400000  128000  tvr o200k_base
  gpt-5.2-chat           128000   16384  tvr o200k_base
  gpt-5.3                400000  128000  tvr o200k_base
  gpt-5.3-chat           128000   16384  tvr o200k_base
  gpt-5.4               1050000  128000  tvr o200k_base
  gpt-5.4-mini           400000  128000  tvr o200k_base
  gpt-5.4-nano           400000  128000  tvr o200k_base
  gpt-5.5               1050000  128000  tvr o200k_base
  gpt-5.6               1050000  128000  tvr o200k_base
  gpt-6                 1050000  128000  tvr o200k_base
  gpt-6.1               1050000  128000  tvr o200k_base
  codex-5                256000   65536  tvr o200k_base
  codex-5.3              256000   65536  tvr o200k_base
  chatgpt-5              256000   65536  tvr o200k_base
  codex-mini             200000  100000  tvr o200k_base
  o1                     200000  100000  tvr o200k_base
  o1-mini                128000   65536  --r o200k_base
  o1-preview             128000   32768  --r o200k_base
  o3                     200000  100000  tvr o200k_base
  o3-mini                200000  100000  t-r o200k_base
  o4-mini                200000  100000  tvr o200k_base
  gpt-oss                131072   32768  t-r o200k_base
  text-embedding-3         8191       0  --- cl100k_base
  text-embedding-ada-002   8191       0  --- cl100k_base
  *gpt                   128000   16384  tv- o200k_base
anthropic
  claude-2               200000    4096  --- claude
  claude-2.1             200000    4096  --- claude
  claude-3               200000    4096  tv- claude
  claude-3.5             200000    8192  tv- claude
  claude-3.7             200000   64000  tvr claude
  claude-sonnet-3.7      200000   64000  tvr claude
  claude-opus-4          200000   32000  tvr claude
  claude-4-opus          200000   32000  tvr claude
  claude-opus-4.1        200000   32000  tvr claude
  claude-opus-4.5        200000   64000  tvr claude
  claude-4.5-opus        200000   64000  tvr claude
  claude-opus-4.6       1000000  128000  tvr claude
  claude-4.6-opus       1000000  128000  tvr claude
  claude-opus-4.7       1000000  128000  tvr claude-4.7
  claude-opus-4.8       1000000  128000  tvr claude-4.7
  claude-opus-5         1000000  128000  tvr claude-4.7
  claude-opus-5.5       1000000  128000  tvr claude-4.7
  claude-sonnet-4        200000   64000  tvr claude
  claude-4-sonnet        200000   64000  tvr claude
  claude-sonnet-4.5      200000   64000  tvr claude
  claude-sonnet-4.6     1000000  128000  tvr claude
  claude-sonnet-5       1000000  128000  tvr claude-4.7
  claude-sonnet-5.5     1000000  128000  tvr claude-4.7
  claude-haiku-4         200000   64000  tvr claude
  claude-haiku-4.5       200000   64000  tvr claude
  claude-haiku-5.5      1000000  128000  tvr claude-4.7
  claude-fable-5        1000000  128000  tvr claude-4.7
  claude-fable-5.1      1000000  128000  tvr claude-4.7
  claude-mythos         1000000  128000  tvr claude-4.7
  claude-mythos-5       1000000  128000  tvr claude-4.7
  claude-mythos-5.1     1000000  128000  tvr claude-4.7
  *claude                200000    8192  tv- claude-4.7
google
  gemini-1.5            1048576    8192  tv- gemma2
  gemini-1.5-pro        2097152    8192  tv- gemma2
  gemini-2.0            1048576    8192  tv- gemma3
  gemini-2.5            1048576   65536  tvr gemma3
  gemini-3              1048576   65536  tvr gemma3
  gemini-3.1            1048576   65536  tvr gemma4
  gemini-3.5            1048576   65536  tvr gemma4
  gemini-3.6            1048576   65536  tvr gemma4
  gemini-3.7            1048576   65536  tvr gemma4
  gemini-3.8            1048576   65536  tvr gemma4
  gemini-4              1048576   65536  tvr estimated
  gemini-flash-latest   1048576   65536  tvr gemma4
  gemini-pro-latest     1048576   65536  tvr gemma4
  gemma-2                  8192    8192  --- gemma2
  gemma-3                131072    8192  -v- gemma3
  gemma-4                262144   32768  tvr gemma4
  *gemini               1048576    8192  tv- gemma4
  *gemma                   8192    8192  --- estimated
deepseek
  deepseek-chat          128000    8192  t-- deepseek_v3
  deepseek-reasoner      128000   65536  --r deepseek_v3
  deepseek-v3            128000    8192  t-- deepseek_v3
  deepseek-v3.1          128000    8192  t-r deepseek_v3
  deepseek-v3.2          163840   65536  t-r deepseek_v3
  deepseek-r1            128000   32768  --r deepseek_v3
  deepseek-r1-distill-llama 128000 32768 --r llama3
  deepseek-r1-distill-qwen  128000 32768 --r qwen3
  deepseek-v4           1000000  393216  t-r estimated
  deepseek-flash        1000000  393216  tvr estimated
  *deepseek              128000    8192  t-- estimated
mistral
  mistral                 32000    8192  t-- mistral_v2
  mixtral                 32000    8192  t-- mistral_v1
  mixtral-8x22b           65536    8192  t-- mistral_v2
  mistral-tiny            32000    8191  --- mistral_v1
  mistral-nemo           128000  128000  t-- mistral_v3
  open-mistral-nemo      128000  128000  t-- mistral_v3
  mistral-small           32000    8191  t-- estimated
  mistral-small-2603     262144  262144  tvr mistral_v3
  mistral-small-latest   262144  262144  tvr mistral_v3
  mistral-medium         262144  262144  tvr mistral_v3
  mistral-large          128000    8192  t-- estimated
  mistral-large-2512     262144  262144  tv- mistral_v3
  mistral-large-3        262144  262144  tv- mistral_v3
  mistral-large-4       1048576    8192  tvr estimated
  mistral-large-latest   262144  262144  tv- mistral_v3
  ministral              131072  131072  tv- mistral_v3
  magistral              131072   40000  t-r mistral_v3
  magistral-medium-latest 262144 262144  tvr mistral_v3
  magistral-small-latest 262144  262144  tvr mistral_v3
  codestral              128000  128000  t-- estimated
  devstral               128000  128000  t-- mistral_v3
  devstral-latest        256000  256000  t-- mistral_v3
  pixtral                128000  128000  tv- mistral_v3
xai
  grok-2                 131072    8192  t-- estimated
  grok-2-vision           32768    8192  tv- estimated
  grok-3                 131072   16384  t-- estimated
  grok-3-mini            131072   16384  t-r estimated
  grok-4                 256000   64000  tvr estimated
  grok-4-fast           2000000   64000  tvr estimated
  grok-4.1-fast         2000000   64000  tvr estimated
  grok-4.20             1000000   64000  tvr estimated
  grok-4.3              1000000   64000  tvr estimated
  grok-4.5               500000   64000  tvr estimated
  grok-4.6               500000   64000  tvr estimated
  grok-4.7               500000   64000  tvr estimated
  grok-code-fast         256000   64000  t-r estimated
  grok-code-fast-1       256000   64000  t-r estimated
  *grok                  131072   16384  t-- estimated
cohere
  command-r              128000    4096  t-- estimated
  command-a              256000    8000  t-- estimated
  command-a-plus         128000   64000  tvr estimated
  *command               128000    4000  t-- estimated
meta
  llama-2                  4096    4096  --- llama2
  codellama               16384    4096  --- codellama
  llama-3                  8192    4096  --- llama3
  llama-3.1              128000    4096  t-- llama3
  llama-3.2                8192    4096  t-- llama3
  llama-3.2-vision       128000    4096  -v- llama3
  llama-3.3              128000    4096  t-- llama3
  llama-4                128000    4096  tv- estimated
  *llama                   8192    4096  --- estimated
qwen
  qwen-2                  32768    8192  t-- qwen3
  qwen-2.5               128000    8192  t-- qwen3
  qwen-2.5-coder         128000    8192  t-- qwen3
  qwen-3                  40960   16384  t-r qwen3
  qwen-3-coder           262144   65536  t-- qwen3
  qwen-3-max             258048   65536  t-r qwen3
  qwen-3-next            262144   65536  t-- qwen3
  qwen-3-vl              131072   32768  tv- qwen3
  qwen-3.5               262144   65536  tvr estimated
  qwen-3.7               991808   65536  tvr estimated
  qwen-3.8               991808  131072  tvr estimated
  qwq                     98304    8192  t-r qwen3
  *qwen                   30720    8192  t-- estimated
moonshot
  kimi-k2                131072   16384  t-- kimi_k2
  kimi-k2.5              262144  262144  tvr kimi_k2
  kimi-k2.6              262144  262144  tvr kimi_k2
  kimi-k2.7              262144  262144  tvr kimi_k2
  kimi-k3               1048576 1048576  tvr kimi_k3
  moonshot-v1              8192    8192  t-- estimated
  moonshot-v1-32k         32768   32768  t-- estimated
  moonshot-v1-128k       131072  131072  t-- estimated
  *kimi                  131072   16384  t-- estimated
zai
  glm-4                  128000   32000  t-- glm4
  glm-4.5v               128000   32000  tv- glm4
  glm-4.6                200000  128000  t-r glm4
  glm-4.7                200000  128000  t-r glm4
  glm-5                  200000  131072  t-r estimated
  *glm                   128000   32000  t-- estimated
minimax
  minimax-m2             200000    8192  t-r estimated
  minimax-m2.1          1000000    8192  t-r estimated
  minimax-m2.5          1000000    8192  t-r estimated
  minimax-m3            1000000  128000  tvr estimated
microsoft
  phi-4                   16384    4096  --- phi4
  *phi                     4096    4096  --- estimated
"""


class CapabilityLine(NamedTuple):
    """What the table says of the models whose names begin with `name`."""

    name: str
    provider: str
    window_tokens: int
    output_tokens: int
    abilities: str  # letters of: tools, vision, reasoning before the answer
    tokenizer: str
    family: bool  # a guess about all members


@cache
def lines() -> tuple[CapabilityLine, ...]:
    """The table, in its order."""
    found, provider = [], ""
    for written in _TABLE.strip().splitlines():
        if not written.startswith(" "):
            provider = written
            continue
        name, window, output, abilities, tokenizer = written.split()
        family = name.startswith("*")
        found.append(CapabilityLine(name.lstrip("*"), provider, int(window), int(output), abilities, tokenizer, family))
    return tuple(found)
