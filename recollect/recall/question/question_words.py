"""The words by which a question says what it is after, in ten languages: data that `wording` reads.

By sign and language, alternatives separated by bars; what Chinese and Japanese share stands under `zh`. Lower case,
without accents and apostrophes (`what's` is `what s`). At one place the longest phrase counts: `how many days` is about
time though `how many` is not. All languages are read at once, so words that mean something else in another one (`was`,
`come`) stand in phrases that tell which it is, or count only where a question opens.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple


class Place(Enum):
    """Where a phrase has to stand to count."""

    FIRST = "first"  # asks, unless another one asked before it
    OPENING = "opening"  # asks at the very beginning if no other asks: conjunctions, words of many uses
    ANYWHERE = "anywhere"  # asks nothing itself, adds to what is asked


class Sign(NamedTuple):
    """What a group of phrases stands for. `cue` names its weight in the settings, `part` says how much of it counts.

    Signs without a kind say something about the form of a question: a person is meant, everything, several parts.
    """

    name: str
    place: Place
    cue: str = ""
    kind: str = ""
    asks: str = ""
    part: float = 1.0


SIGNS = (
    Sign("why", Place.FIRST, "why", "causal", "why"),
    Sign("reason", Place.ANYWHERE, "why", "causal", "why", 0.8),
    Sign("when", Place.FIRST, "time", "temporal", "when"),
    Sign("while", Place.OPENING, "time", "temporal", "when"),
    Sign("moment", Place.ANYWHERE, "time", "temporal", "when", 0.8),
    Sign("dated", Place.ANYWHERE, "time", "temporal", "", 0.6),
    Sign("order", Place.ANYWHERE, "time", "temporal", "", 0.3),
    Sign("who", Place.FIRST, "what_is", "lookup", "who"),
    Sign("what_is", Place.FIRST, "what_is", "lookup", "what"),
    Sign("what", Place.FIRST, "what_is", "lookup", "what", 0.5),
    Sign("that", Place.OPENING, "what_is", "lookup", "what", 0.5),
    Sign("whether", Place.OPENING, "what_is", "lookup", "what", 0.5),
    Sign("how", Place.FIRST, "how", "procedural", "general"),
    Sign("like", Place.OPENING, "how", "procedural", "general"),
    Sign("in_what_way", Place.FIRST, "how", "procedural", "general", 0.6),
    Sign("steps", Place.ANYWHERE, "how", "procedural", "general", 0.8),
    Sign("about", Place.FIRST, "about", "exploratory", "what"),
    Sign("advice", Place.ANYWHERE, "about", "exploratory", "general"),
    Sign("feeling", Place.ANYWHERE, "about", "exploratory", "what"),
    Sign("compare", Place.ANYWHERE, "compare", "comparative", "what"),
    Sign("people", Place.ANYWHERE),
    Sign("every", Place.ANYWHERE),
    Sign("joined", Place.ANYWHERE),
    Sign("clause", Place.ANYWHERE),
)

PHRASES: Mapping[str, Mapping[str, str]] = {
    "why": {
        "en": """
            why | how come | what caused | what causes | what made | what makes | what led to | what prompted |
            what triggered | what is behind | what s behind | what is the reason | what s the reason |
            what was the reason | what are the reasons | what were the reasons | for what reason |
            what is the cause | what was the cause | what is the purpose | what was the purpose | what for""",
        "de": """
            warum | wieso | weshalb | weswegen | aus welchem grund | was ist der grund | was war der grund |
            woran lag es | wozu""",
        "es": """
            por que | por que razon | por que motivo | a que se debe | a que se debio | cual es la razon |
            cual fue la razon | cual es el motivo | cual fue el motivo""",
        "fr": """
            pourquoi | pour quelle raison | pour quelles raisons | a cause de quoi | quelle est la raison |
            qu est ce qui a cause""",
        "pt": """
            por que | porque e que | qual e o motivo | qual foi o motivo | qual a razao | qual foi a razao |
            a que se deve""",
        "it": """
            perche | come mai | per quale motivo | per quale ragione | qual e il motivo | qual era il motivo |
            qual e la ragione""",
        "ru": "почему | зачем | отчего | из за чего | по какой причине | в чем причина",
        "zh": "为什么 | 為什麼 | 为何 | 為何 | 为啥 | 怎么会 | 何故",
        "ja": "なぜ | どうして | なんで",
        "ko": "왜 | 어째서",
    },
    "reason": {
        "en": """
            reason | reasons | cause of | causes of | because of | root cause | rationale | led to | motivation |
            purpose of | behind the | to blame""",
        "de": "grund fur | grunde fur | ursache | ursachen | weil",
        "es": "motivo | motivos | razon | razones | causa | causas | debido a",
        "fr": "raison pour | raisons pour | la raison | les raisons | cause du | cause de | a cause",
        "pt": "razao | razoes | por causa | motivo | causa",
        "it": "ragione | ragioni | cause | a causa di | motivo | causa",
        "ru": "причина | причины | причину | из за | потому что",
        "zh": "原因 | 理由",
        "ko": "이유 | 원인",
    },
    "when": {
        "en": """
            when did | when do | when does | when is | when was | when were | when will | when would | when are |
            when can | when could | when should | when has | when have | when had | when s | when exactly |
            know when | remember when | me when | tell when | recall when | wonder when | wondering when | ask when |
            sure when | forgot when | find out when | since when | until when | by when | what year | what month |
            what day | what date | what time | what week | what season | what century | what decade | which year |
            which month | which day | which date | which week | which season | what is the date | what s the date |
            what was the date | what is the birthday | what is the deadline | how long ago | how long has |
            how long have | how long had | how long did | how long since | how long until | how long before |
            how long was | how long were | how long will | how long after | how recently | how many days |
            how many weeks | how many months | how many years | how many hours | how soon | at what time |
            what is the order | what was the order | in what order | in which order | which event |
            which of these happened first""",
        "de": """
            wann | seit wann | bis wann | ab wann | um wie viel uhr | wie lange | wie lange her | an welchem tag |
            in welchem jahr | in welchem monat | welches jahr | welches datum | welcher tag | wie viele tage |
            wie viele wochen | wie viele monate | wie viele jahre""",
        "es": """
            desde cuando | hasta cuando | para cuando | que dia | que ano | que fecha | que mes | a que hora |
            en que ano | en que mes | en que fecha | cual es la fecha | cual fue la fecha | cuanto tiempo |
            hace cuanto | cuantos dias | cuantas semanas | cuantos meses | cuantos anos | cuando fue | cuando es""",
        "fr": """
            depuis quand | jusqu a quand | c est quand | quand est ce que | quel jour | quelle date | quelle annee |
            quel mois | a quelle heure | en quelle annee | quelle heure | combien de temps | combien de jours |
            combien de semaines | combien de mois | combien d annees""",
        "pt": """
            desde quando | ate quando | em que dia | em que ano | em que data | em que mes | a que horas | que data |
            que horas | qual e a data | qual foi a data | quanto tempo | ha quanto tempo | quantos dias |
            quantas semanas | quantos meses | quantos anos faz | quando foi | quando e que""",
        "it": """
            da quando | fino a quando | che giorno | che anno | che data | che mese | a che ora | in che anno |
            in che giorno | in quale anno | in che mese | qual e la data | quanto tempo fa | da quanto tempo |
            per quanto tempo | quanti giorni | quante settimane | quanti mesi | quando e""",
        "ru": """
            когда | с каких пор | в каком году | в какой день | какого числа | сколько дней | сколько времени |
            как давно | во сколько""",
        "zh": """
            什么时候 | 是什么时候 | 什麼時候 | 何时 | 何時 | 哪天 | 哪一天 | 哪年 | 哪一年 | 几点 | 几月 | 几号 | 多久 |
            多长时间 | 何日 | 何月 | 何年""",
        "ja": "いつ | いつから | いつまで | どのくらい前",
        "ko": "언제 | 며칠 | 몇 시 | 몇 년",
    },
    "while": {
        "en": "when",
        "es": "cuando",
        "fr": "quand",
        "pt": "quando",
        "it": "quando",
    },
    "moment": {
        "en": """
            date of birth | birthdate | birth date | due date | start date | end date | the date of | deadline |
            the day of | the year of""",
        "de": "geburtsdatum | datum des | datum der",
        "es": "fecha de | fecha limite",
        "fr": "date de naissance | date limite | la date du | la date de",
        "pt": "data de | prazo",
        "it": "data di | scadenza",
        "ru": "дата | дату | срок",
        "zh": "日期 | 日付 | 期限",
        "ko": "날짜",
    },
    "dated": {
        "en": """
            yesterday | today | tonight | tomorrow | last week | last month | last year | last night | last weekend |
            last summer | last winter | last spring | last autumn | last fall | last time | this week | this month |
            this year | this morning | next week | next month | next year | ago | recently | lately | recent |
            the past | past week | past month | past year | the other day | over time | changed over | timeline |
            history of | chronological | so far this | upcoming | last monday | last tuesday | last wednesday |
            last thursday | last friday | last saturday | last sunday | on monday | on tuesday | on wednesday |
            on thursday | on friday | on saturday | on sunday""",
        "de": """
            gestern | heute | morgen | vorgestern | letzte woche | letzten monat | letztes jahr | letzten montag |
            diese woche | dieses jahr | neulich | kurzlich | vor kurzem | vor einer woche | tagen | im januar |
            im februar | im marz | im april | im mai | im juni | im juli | im august | im september | im oktober |
            im november | im dezember""",
        "es": """
            ayer | hoy | manana | anteayer | anoche | la semana pasada | el mes pasado | el ano pasado |
            esta semana | este ano | este mes | recientemente | ultimamente | hace poco | hace una semana |
            hace dos | en enero | en febrero | en marzo | en abril | en mayo | en junio | en julio | en agosto |
            en septiembre | en octubre | en noviembre | en diciembre""",
        "fr": """
            hier | aujourd hui | demain | avant hier | la semaine derniere | le mois dernier | l annee derniere |
            l an dernier | cette semaine | cette annee | ce mois | recemment | dernierement | il y a | en janvier |
            en fevrier | en mars | en avril | en mai | en juin | en juillet | en aout | en septembre | en octobre |
            en novembre | en decembre""",
        "pt": """
            ontem | hoje | amanha | anteontem | na semana passada | semana passada | no mes passado | mes passado |
            ano passado | recentemente | faz uma semana | em janeiro | em fevereiro | em marco | em abril | em maio |
            em junho | em julho | em agosto | em setembro | em outubro | em novembro | em dezembro""",
        "it": """
            ieri | oggi | domani | l altro ieri | settimana scorsa | mese scorso | anno scorso | l anno scorso |
            questa settimana | quest anno | di recente | giorni fa | settimane fa | mesi fa | anni fa | a gennaio |
            a febbraio | a marzo | ad aprile | a maggio | a giugno | a luglio | ad agosto | a settembre | a ottobre |
            a novembre | a dicembre""",
        "ru": "вчера | сегодня | завтра | на прошлой неделе | в прошлом месяце | в прошлом году | недавно | назад",
        "zh": "昨天 | 今天 | 明天 | 前天 | 上周 | 上个月 | 去年 | 今年 | 最近 | 昨日 | 今日 | 先週 | 先月",
        "ko": "어제 | 오늘 | 지난주 | 지난달 | 작년 | 최근",
    },
    "order": {
        "en": """
            since | before | after | until | during | first time | last time | earliest | latest | happened first |
            first | first or | most recently | earlier | previous | previously""",
        "de": "seit | bevor | nachdem | vor | nach | zuerst | zuletzt",
        "es": "desde | antes de | despues de | hasta | primera vez | ultima vez",
        "fr": "depuis | avant | apres | jusqu | premiere fois | derniere fois",
        "pt": "depois de | ate | primeira vez | antes de | desde | ultima vez",
        "it": "prima di | dopo | fino | prima volta | ultima volta",
        "ru": "после | до того | перед | впервые",
        "zh": "之前 | 之后 | 以前 | 以后",
        "ja": "前に | 後に",
    },
    "who": {
        "en": "who | whom | whose | who s | what person | which person | what people | which people | whos",
        "de": "wer | wen | wem | wessen | mit wem | welche person",
        "es": "quien | quienes | con quien | a quien | de quien | que persona",
        "fr": """
            qui est | qui a | qui etait | qui sont | qui m | qui m a | qui l a | qui va | qui travaille | qui peut |
            qui doit | qui connait | qui nous | qui s | avec qui | a qui | de qui | chez qui | qui est ce qui |
            c est qui | qui""",
        "pt": "quem | com quem | de quem | para quem",
        "it": "chi | con chi | di chi | a chi | chi e",
        "ru": "кто | кого | кому | с кем | кем | чей | чья | чье",
        "zh": "谁 | 誰 | 哪位",
        "ja": "だれ | どなた",
        "ko": "누구 | 누가",
    },
    "what_is": {
        "en": """
            what is | what s | how many times | what was | what are | what were | where | where s | which |
            how many | how much | how old | how far | how tall | how big | how often | how high | how deep |
            how large | how fast | how hot | how wide | how heavy | how long | how cold | how late | how expensive |
            how big is | whats | how do you say | how do you spell | how do you pronounce | how loud | how strong |
            how close | how successful | name the | name a | define | what does | remind me what | remind me of""",
        "de": """
            was ist | was sind | was war | was waren | wo | wohin | woher | welche | welcher | welches | welchen |
            welchem | wie viel | wie viele | wie oft | wie alt | wie heisst | wie heissen | wie hiess | wie gross |
            wie weit | wie hoch | wie lautet""",
        "es": """
            cual | cuales | cual es | que es | que son | que era | donde | adonde | de donde | cuanto | cuanta |
            cuantos | cuantas | como se llama | como se llaman | como se llamaba""",
        "fr": """
            qu est ce que c est | c est quoi | quel | quelle | quels | quelles | quel est | quelle est | ou est |
            ou sont | ou se trouve | d ou | ou ai | ou a | ou habite | ou travaille | ou etait | ou j ai | combien |
            comment s appelle | comment s appellent | quoi""",
        "pt": """
            qual | quais | qual e | o que e | onde | aonde | de onde | quanto | quanta | quantos | quantas |
            como se chama | como se chamava""",
        "it": """
            quale | quali | qual era | cos e | che cos e | dove | da dove | quanti | quante | come si chiama |
            come si chiamava | quanto | quanta | qual e""",
        "ru": """
            где | куда | откуда | сколько | какой | какая | какое | какие | каков | что такое | как зовут |
            как называется""",
        "zh": "是什么 | 哪里 | 哪儿 | 哪个 | 多少 | 几个 | 什么是",
        "ja": "何ですか | どこ | どれ | どの | いくつ | いくら | 何という",
        "ko": "어디 | 얼마 | 어느 | 몇",
    },
    "what": {
        "en": "what | remind me",
        "de": """
            was hat | was habe | was haben | was hast | was macht | was mag | was fur | was will | was kostet |
            was sagt | was sagte | was isst | was passierte | was passiert | was soll | was kann | was wollte |
            was braucht""",
        "es": "que hizo | que dijo | que le | que paso | que compro | que tiene | que quiere | que cosa",
        "fr": "qu est ce que | qu est ce qu | qu est ce qui | que fait | qu a | qu ai | qu avons",
        "pt": "o que",
        "it": "che cosa | cosa | che tipo",
        "ru": "что | чего | чем",
        "zh": "什么 | 什麼 | 哪 | 何",
        "ja": "なに",
        "ko": "무엇 | 뭐 | 무슨",
    },
    "that": {
        "es": "que",
        "fr": "que",
        "pt": "que",
        "it": "che",
    },
    "whether": {
        "en": "does | do | did | is | are | was | were | has | have | had",
        "de": "hat | habe | haben | ist | sind | war | mag | weisst du ob",
        "es": "ha | tiene | es | esta",
        "fr": "est ce que | a t | est",
        "pt": "tem",
        "it": "hai | avete",
    },
    "how": {
        "en": """
            how do i | how do you | how do we | how do they | how do people | how to | how can | how should |
            how could | how would i | how would you | how might | how does one | what are the steps |
            what is the procedure | what s the procedure | what is the process | what is the best way |
            what s the best way | what is the right way | what steps | walk me through | guide me | show me how |
            teach me | instructions for | what is the way to | how must""",
        "de": """
            wie kann | wie konnen | wie mache | wie macht man | wie muss | wie soll | wie sollte | wie geht |
            wie funktioniert | wie richte | wie installiere | wie stelle | wie komme ich | wie bekomme | wie man |
            wie wird | wie werden | wie lasst | wie starte | wie erstelle | wie setze""",
        "es": """
            como puedo | como podemos | como se hace | como se puede | como hago | como hacer | como configuro |
            como instalo | como instalar | como se | como debo | como hay que | como funciona | como tengo que |
            cual es el procedimiento""",
        "fr": """
            comment faire | comment puis | comment peut | comment dois | comment fait on | comment on | comment je |
            comment installer | comment configurer | comment fonctionne | comment proceder | comment""",
        "pt": """
            como posso | como faco | como fazer | como se faz | como devo | como eu | como configurar |
            qual e o procedimento""",
        "it": """
            come si fa | come si | come posso | come possiamo | come faccio | come devo | come fare | come funziona |
            come installo | come configuro | come dobbiamo""",
        "ru": """
            как мне | как сделать | как настроить | как установить | как можно | как нужно | каким образом |
            как запустить""",
        "zh": "怎么 | 怎麼 | 如何 | 怎样 | 怎樣",
        "ja": "どうやって | どうすれば | どのように",
        "ko": "어떻게",
    },
    "like": {
        "de": "wie",
        "es": "como",
        "pt": "como",
        "it": "come",
        "ru": "как",
    },
    "in_what_way": {
        "en": "how | how do | how did | how does | how is | how was | how are | how were | how has | how have",
        "de": "wie hat | wie haben | wie ist | wie war | wie lief | wie wurde | wie wurden",
        "es": "como fue | como esta",
        "fr": "comment va | comment s est",
        "pt": "como foi | como vai",
        "it": "come e andato | come e andata | come sta",
        "ru": "как прошло | как прошел",
    },
    "steps": {
        "en": """
            steps | step by step | procedure | tutorial | guide to | guide for | recipe for | instructions | how to |
            checklist | runbook | walkthrough | workflow for | process for | way to""",
        "de": "schritte | schritt fur schritt | anleitung | ablauf | vorgehen",
        "es": "pasos | paso a paso | procedimiento | instrucciones | guia para",
        "fr": "etapes | etape par etape | procedure pour | mode d emploi | marche a suivre | instructions pour",
        "pt": "passos | passo a passo | procedimento | instrucoes",
        "it": "passaggi | passo per passo | passo dopo passo | procedura | istruzioni | guida per",
        "ru": "шаги | пошагово | инструкция | порядок",
        "zh": "步骤 | 流程 | 方法 | 手順",
        "ja": "やり方",
        "ko": "방법 | 절차",
    },
    "about": {
        "en": """
            tell me about | tell me more | tell me everything | what do i know | what do you know | what do we know |
            what do you remember | what have i told you | what have we | what can you tell | what else | what about |
            what s up with | what s new with | describe | explain | summarize | summarise | summary of |
            overview of | give me an overview | anything about | everything about | information about |
            information on | know about | thoughts on | background on | show me everything | catch me up |
            what happened with | how is going | what should i know | what does the team know | bring me up to |
            up to speed on | all there is""",
        "de": """
            erzahl mir | erzahle mir | was weisst du | was weiss ich | was wissen wir | beschreibe | erklare |
            erklar mir | alles uber | informationen uber | informationen zu | zusammenfassung | uberblick uber |
            fasse""",
        "es": """
            cuentame | hablame | que sabes | que se sobre | que sabemos | explicame | resumen | resume | todo sobre |
            informacion sobre | dime que sabes""",
        "fr": """
            parle moi | dis moi tout | que sais tu | que sais je | que savons nous | qu est ce que tu sais | decris |
            explique | tout sur | informations sur | raconte""",
        "pt": """
            fala me | fale me | me fale | fale sobre | me conte | conta me | o que sabes | o que voce sabe |
            o que sabemos | o que sei | descreve | descreva | explica | resumo | tudo sobre | informacoes sobre""",
        "it": """
            parlami | dimmi tutto | raccontami | cosa sai | cosa sappiamo | che cosa sai | cosa so | descrivi |
            spiegami | riassumi | riassunto | tutto su | informazioni su""",
        "ru": "расскажи | что ты знаешь | что известно | что мы знаем | опиши | объясни | все о",
        "zh": "介绍 | 关于 | 告诉我 | 总结 | 说说 | 讲讲",
        "ja": "について | 教えて | まとめ",
        "ko": "대해 | 알려줘 | 설명",
    },
    "advice": {
        "en": """
            you suggest | suggest a | suggest some | suggest me | suggest something | any suggestions |
            some suggestions | suggestions for | you recommend | recommend a | recommend some | recommend me |
            recommend something | any recommendations | some recommendations | recommendations for | any tips |
            some tips | tips for | tips on | any advice | some advice | advice on | any ideas | some ideas |
            ideas for | do you think | brainstorm | would you choose""",
        "de": "empfiehl | empfehlen | empfehlung | vorschlag | vorschlage | tipps | ratschlag | ideen fur",
        "es": """
            recomienda | recomiendas | recomendacion | recomendaciones | sugerencia | sugerencias | consejo |
            consejos | ideas para""",
        "fr": "recommande | recommandes | recommandation | conseil | conseils | idees pour",
        "pt": "recomenda | recomendacoes | sugestao | sugestoes | conselho | dicas | ideias para",
        "it": "consiglia | consigli | consiglio | suggerisci | suggerimenti | idee per",
        "ru": "посоветуй | порекомендуй | совет | идеи",
        "zh": "推荐 | 建议",
        "ja": "おすすめ | アドバイス",
        "ko": "추천",
    },
    "feeling": {
        "en": """
            feel about | feels about | felt about | feel when | feel after | feel | feels | felt | think of |
            think about | opinion on | opinion about | opinion of | opinions on | react to | reaction to | describe |
            described | describes | view on | views on | attitude""",
        "de": "denkt uber | halt von | fuhlt sich | fuhlte sich | meinung",
        "es": "piensa de | piensa sobre | siente | sintio | opina | opinion",
        "fr": "pense de | pense du | ressent | avis sur",
        "pt": "acha de | acha do | sente se | se sente",
        "it": "pensa di | pensa del | si sente | opinione",
        "ru": "думает о | чувствует | мнение",
        "zh": "觉得 | 看法",
        "ja": "どう思",
    },
    "compare": {
        "en": """
            compare | compared | compares | comparing | comparison | differ | differs | difference | differences |
            different from | cheaper than | faster than | bigger than | cheaper or | faster or | different than |
            differently from | vs | versus | better than | worse than | better or | is better | was better |
            what is better | works better | pros and cons | similarities | in common | as opposed to | instead of |
            advantage of | advantages of | prefer""",
        "de": """
            vergleich | vergleiche | vergleichen | verglichen | unterschied | unterschiede | unterscheidet |
            unterscheiden | was ist besser | besser als | schlechter als | im gegensatz | gemeinsam haben""",
        "es": """
            compara | comparar | comparacion | comparado | diferencia | diferencias | diferente de | mejor que |
            peor que | es mejor""",
        "fr": """
            comparer | comparaison | difference entre | differences entre | differe | different de | mieux que |
            meilleur que | par rapport | est mieux | comparees""",
        "pt": "comparacao | diferenca | diferencas | melhor que | melhor do que | pior que | e melhor",
        "it": """
            confronta | confronto | confrontare | paragone | paragona | differenza | differenze | diverso da |
            meglio di | peggio di | rispetto a | e meglio""",
        "ru": "сравни | сравнить | сравнение | разница | отличается | отличие | отличия | лучше чем | хуже чем",
        "zh": "比较 | 区别 | 差别 | 不同 | 对比 | 相比 | 比較",
        "ja": "違い | 比べ",
        "ko": "차이 | 비교",
    },
    "people": {
        "en": """
            person | people | man | woman | guy | girl | boy | friend | friends | colleague | colleagues | coworker |
            teammate | boss | manager | developer | engineer | designer | teacher | doctor | lawyer | neighbor |
            neighbour | relative | cousin | uncle | aunt | actor | actress | author | writer | singer | artist |
            musician | president | leader | player | director | founder | owner | character | star | comedian |
            inventor | king | queen | emperor | minister | senator | governor | team | company | group |
            organization | band | poet | composer | explorer | hero | champion | customer | client | supplier |
            vendor | coach""",
    },
    "every": {
        "en": """
            all | every | each | how many times | how often | how many different | list | list all | list every |
            total | in total | altogether | overall | count | sum of | average | most | least | everything |
            everyone | so far""",
        "de": "alle | jede | jeder | jedes | wie oft | insgesamt | auflisten | liste | am meisten",
        "es": "todos | todas | cada | cuantas veces | en total | lista | enumera",
        "fr": "tous | toutes | chaque | combien de fois | au total | enumere",
        "pt": "quantas vezes | no total | todos | todas | cada",
        "it": "tutti | tutte | ogni | quante volte | in totale | elenca | elencare",
        "ru": "все | каждый | каждая | сколько раз | всего | перечисли",
        "zh": "所有 | 每 | 多少次 | 几次 | 一共 | 列出 | 全部 | 何回",
        "ja": "すべて",
        "ko": "모든 | 몇 번",
    },
    "joined": {
        "en": "and | and then | as well as | but also | both | between | or",
        "de": "und | sowie | oder | zwischen",
        "es": "y | o | tambien | entre",
        "fr": "et | ou | ainsi que",
        "pt": "e | tambem | ou | entre",
        "it": "oppure | anche | e | o",
        "ru": "и | или | между",
        "zh": "和 | 以及 | 还是",
        "ja": "と | それとも",
        "ko": "그리고",
    },
    "clause": {
        "en": """
            that | which | who | where | when | because | while | although | if | whether | after | before | since |
            so that""",
        "de": "dass | weil | wenn | als | obwohl | der die",
        "es": "que | cuando | porque | si | aunque",
        "fr": "qui | dont | lorsque | parce que | bien que",
        "pt": "quando | se | embora | que | porque",
        "it": "che | mentre | anche se | quando | perche",
        "ru": "который | которая | если | чтобы",
        "zh": "因为 | 如果",
        "ja": "から | ので",
    },
}
