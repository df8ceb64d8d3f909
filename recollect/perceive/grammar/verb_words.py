"""The English verbs by which a statement is recognised: lists, no decisions. Forms are made in `verbs`."""

from __future__ import annotations

# base, past, participle; a slash separates forms that are both right
IRREGULAR = """
    be was/were been, have had had, do did done, go went gone, get got got/gotten, make made made, take took taken,
    see saw seen, come came come, know knew known, give gave given, find found found, think thought thought,
    tell told told, become became become, leave left left, feel felt felt, bring brought brought, begin began begun,
    keep kept kept, hold held held, write wrote written, stand stood stood, hear heard heard, let let let,
    mean meant meant, set set set, meet met met, run ran run, pay paid paid, sit sat sat, speak spoke spoken,
    lie lay lain, lead led led, read read read, grow grew grown, lose lost lost, fall fell fallen, send sent sent,
    build built built, understand understood understood, draw drew drawn, break broke broken, spend spent spent,
    cut cut cut, rise rose risen, drive drove driven, buy bought bought, wear wore worn, choose chose chosen,
    eat ate eaten, drink drank drunk, sleep slept slept, sing sang sung, swim swam swum, teach taught taught,
    catch caught caught, fight fought fought, sell sold sold, throw threw thrown, fly flew flown, win won won,
    forget forgot forgotten, hang hung hung, hide hid hidden, hit hit hit, hurt hurt hurt, put put put, quit quit quit,
    ride rode ridden, ring rang rung, shake shook shaken, shoot shot shot, show showed shown, shut shut shut,
    steal stole stolen, stick stuck stuck, swear swore sworn, wake woke woken, lend lent lent, light lit lit,
    dream dreamed/dreamt dreamed/dreamt, learn learned/learnt learned/learnt, burn burned/burnt burned/burnt,
    spell spelled/spelt spelled/spelt, lay laid laid, deal dealt dealt, dig dug dug, feed fed fed, freeze froze frozen,
    bite bit bitten, blow blew blown, bet bet bet, cost cost cost, split split split, spread spread spread,
    rebuild rebuilt rebuilt, rewrite rewrote rewritten, overcome overcame overcome, upset upset upset,
    withdraw withdrew withdrawn, undergo underwent undergone, say said said, bear bore born/borne, beat beat beaten,
    bend bent bent, bind bound bound, seek sought sought, strike struck struck, tear tore torn, sew sewed sewn,
    shed shed shed, shrink shrank shrunk, redo redid redone, undo undid undone, foresee foresaw foreseen,
    oversee oversaw overseen, rethink rethought rethought, withstand withstood withstood,
    cast cast cast, broadcast broadcast broadcast, cling clung clung, mislead misled misled,
    retake retook retaken, undertake undertook undertaken, reread reread reread, rerun reran rerun
"""

REGULAR = """
    accept accomplish ace achieve acquire act adapt add adhere adjust admire admit adopt adore advance adventure
    advise advocate afford age agree aim alert allocate allow analyse analyze announce answer apologize appeal
    appear apply appreciate approach approve argue arrange arrive ask aspire assemble assign assist assume
    assure attach attempt attend attract attribute audit authenticate authorize automate avoid await babysit
    bake balance ban barbecue bargain batch battle believe belong benchmark benefit bike bill binge block blog
    boil bond book bookmark borrow bother bounce bowl box boycott brainstorm breathe brew brighten browse brush
    budget bully bump cache calculate call calm camp campaign cancel capture care carry carve cater cause
    celebrate chair challenge change charge chase chat check cheer cherish chill choreograph claim clap clarify
    clean clear climb cling close co-found coach code coincide collaborate collapse collect combine commit
    communicate commute compare compete compile complain complete comply compose conceive concentrate conduct
    configure confirm conform confront connect consent consider consist constitute consult consume contact
    contain containerize continue contribute control convert convey convince cook coordinate cope copy count
    cover craft crash crave crawl create criticize crochet cross cruise crush cry cuddle cultivate curate cure
    cycle dabble dance dare date debate debug decide declare decline decorate dedicate dedupe deepen defend
    defer define delay delegate delete delight deliver demand depend depict deploy derive describe deserve
    design despise destroy detail detect deteriorate determine detest develop devote die diet differ dine
    disagree disappear discourage discover discuss dislike dismiss display dispute distribute dive divide
    divorce dog-sit dominate donate doodle doubt download draft drag drain dread dress drift drop dump dye earn
    echo edit educate elevate email embark embody embrace emerge emigrate emit emphasise emphasize employ
    empower enable encounter encourage encrypt end endure engage enhance enjoy enlist enroll ensure enter
    entertain envision escape establish evaluate evict evolve examine exceed excel exchange excite exclude
    execute exercise exhibit exist expand expect experience experiment expire explain exploit explore export
    expose express extend face facilitate fail fancy fascinate favor favour fear feature fence figure file fill
    film finalize finance finish fish fit fix fixate flash flee flip float flourish focus fold follow force
    forgive fork form format formulate foster freelance fulfill fund gain gamble game garden gather generate
    gift giggle golf govern grab graduate grant grasp gravitate grieve grill groom guarantee guess guide handle
    happen harden harm harvest hash hate head heal help hesitate highlight hike hinder hire honor hope host hug
    hunt identify idolize ignore illustrate imagine immigrate implement import impose impress improve incline
    include incorporate increase index indicate indulge influence inform ingest inhabit inherit injure inquire
    insist inspire install integrate intend interact interest intern interpret intervene interview introduce
    invade invent invest investigate invite invoice involve isolate jam jog join joke journal judge juggle jump
    justify kayak kick kiss knit knock lack land laugh launch lean lecture legislate lift like limit link lint
    list listen live load loathe locate lock log look lounge love lower mail maintain major manage mandate march
    mark marry master match matter measure meditate mention mentor merge mess migrate miss mitigate mix mock
    model modify monitor motivate mount mourn move multiply mute nail name nap narrate narrow need negotiate
    nominate notice nurse nurture observe obtain occupy occur offer omit onboard open operate oppose opt
    optimize order organise organize outline outsource outweigh overhear overlook overthink overwhelm owe own
    pack page paint park parse participate partner party pass patch pause perceive perform persist persuade pet
    phone photograph pick pilot pin ping pitch plan plant play pledge point portray pose possess post postpone
    pour practice practise praise pray preach predict prefer preorder prep prepare prescribe present preserve
    preside press prevent print prioritise prioritize proceed process procrastinate produce profile program
    progress prohibit promise promote prompt pronounce propose prosper protect protest prove provide provision
    publish pull punish purchase pursue push puzzle qualify query quilt race rain raise rank rate reach react
    realign realise realize reassure rebase rebel rebrand recall receive recharge reckon recognise recognize
    recommend reconnect reconsider record recover recruit recycle reduce refactor refer refine reflect refrain
    refresh refuse register regret rehearse reinforce reinvent reject rejoice relate relax release relieve
    relish relocate rely remain remarry remember remind remodel remove render renew renovate rent repair repeat
    replace reply report represent reproduce request require rescind rescue research resent reserve reside
    resign resolve resonate resort respect respond rest restart restore restrict result resume retain retire
    retry return reveal revert review rewatch revise revisit revoke revolve reward roast rock roll rollerblade rotate
    row rule rush sail satisfy save savor scaffold scale scan scare schedule score scrape screen sculpt search
    secure seem select separate serialize serve settle shard share shift ship shop shout showcase shuffle shun
    sign signal simplify sip skate skateboard sketch ski skip slip smell smile smoke snack snowboard soak
    socialize solve soothe sound spark specialize splurge spoil sponsor spot sprain squash stabilize stage stain
    stargaze start starve state stay steam steer stem stimulate stock stop store stream strengthen stress
    stretch strive stroll structure struggle study stumble submerge submit subscribe substitute succeed suck
    suffer suggest suit summarize supervise supplement supply support surf surpass surprise surrender survive
    suspect sustain swap sweat sweep switch sympathize sync tackle tag tailor talk target taste team tend test
    testify text thank threaten thrive throttle tie toast tokenize tolerate toss touch tour track trade train
    transfer transform transition translate transplant travel traverse treasure treat triage trigger trim trust
    try tune turn tutor type unite unlock unpack unwind upcycle update upgrade upload urge use utilize vacation
    validate value vanish vape vary vectorize venture verify version view visit visualize vlog volunteer
    vote vow wait walk wander want warm warn wash watch water weigh welcome whip widen wire wish witness wonder
    work workout worry worship wrap wrestle yearn yell yield zip zoom
"""

DOUBLED = frozenset(  # verbs of more than one syllable that double their last letter
    "admit begin commit control forget occur prefer refer regret submit upset equip permit travel cancel label model "
    "format program".split()
)

# These are seldom verbs after a noun: "my work schedule", "the test plan", "my art show".
NOUNS_FIRST = frozenset(
    "work plan test show game schedule design build book film dance dog family date diet care love like look feature "
    "form guide help hope host hunt journal list march match model mount name nurse order park party pet phone pilot "
    "plant point post practice present process program progress project race rain rate record report request research "
    "rest result return review ring rock roll score screen search share ship shop signal sketch smoke sound stage "
    "start state store stress structure study supply support surprise target taste text tour track trade train travel "
    "trigger trust type update upgrade use value video view visit vote wait walk wash watch water wish wonder end face "
    "fish figure file fund garden head interest land limit link lock mark measure mix move need offer pack paint "
    "partner pass patch pause pick place play press print promise code cook cover craft crash cross cure deal debate "
    "demand display drink drive exchange exercise experience experiment export fear fight fall run set cut hit hike "
    "ride swim sleep talk try turn version token index cache query stream team block budget call camp cause challenge "
    "change charge chat check claim coach contact control copy count".split()
)
