"""Words that everybody uses all the time: one of them in a message says little of what it is about.

A name that is such a word (`Will`, `May`, `Go`) is taken for one only with care, and a message of nothing else is
small talk. Function words, the commonest verbs, nouns and adjectives of English, the words of greetings and thanks,
and the function words of some other languages.
"""

import re

from vault.model.keys import fold_name
from vault.model.words import QUESTION_WORDS, word_spans

_FUNCTION = """
a about above across after afterwards again against ago ahead all almost alone along already also although always am
among amongst an and another any anybody anyhow anymore anyone anything anyway anywhere apart are aren around as aside
at away back be became because become becomes been before beforehand behind being below beneath beside besides between
beyond both but by can cannot cant certain certainly could couldn couple d did didn do does doesn doing don done dont
down dozen due during each eight either eleven else elsewhere enough especially etc even eventually ever every
everybody everyone everything everywhere exactly except few fewer first five for former forth four from further
furthermore gonna gotta had hadn half has hasn have haven having he hence her here hers herself hey him himself his
how however hundred i if im in indeed instead into is isn it its itself ive just kinda last lately later latter least
less let lets like likely ll m many may maybe me meanwhile might mightn million mine more moreover most mostly much
must mustn my myself namely near nearly neither never nevertheless next nine no nobody none nonetheless nor not
nothing now nowadays nowhere of off often oh ok okay on once one ones only onto or other others otherwise ought our
ours ourselves out over own per perhaps please plenty pretty probably quarter quite rather re really s same say second
seem seems seven several shall shan she should shouldn since six so some somebody somehow someone something sometime
sometimes somewhere soon still such sure t ten than that the their theirs them themselves then there therefore these
they third this those though thousand three through throughout thus till to together too toward towards twelve twice
two under underneath unless unlike until up upon us usually ve versus very via was wasn we well were weren what
whatever when whenever where whereas wherever whether which whichever while who whoever whole whom whose why will with
within without won would wouldn wow y yes yet you your yours yourself yourselves zero
"""

_VERBS = """
accept act add admit afford agree aim allow annoy answer appear apply appreciate argue arrive ask asked asking ate
attend avoid bake bear beat began begin begun believe belong bet bit bite blew blow book bored boring borrow bother
bought bounce break breathe bring broke broken brought build built burn busy buy bye call called came care carry catch
caught cause celebrate change changed charge chat check cheer chill choose chose chosen clean clear climb close come
coming complain concern consider contact continue control cook cool cost count cover crack crash create cry cut dance
dare deal decide deliver depend describe deserve die dig discover discuss dislike doing doubt drank draw dream dress
drink drive driven drop drove earn eat eaten eating end ended enjoy enjoyed enter exist expect explain face fail fall
fallen feel feeling fell felt fetch fight figure fill find finish finished fit fix flew fly focus follow forget
forgive forgot forgotten found freak gather gave get gets getting give given gives giving glance go goes going gone
got gotten grab greet grew grow guess hand handle hang happen happened hate having hear heard heat held help helped
hide hit hold hop hope hoped hoping hug hurry hurt imagine improve include invite join joke jump keep kept kick kid
kill kiss knew knock know known knows lack laid land laugh lay lead learn leave leaving left lend lie lift light liked
listen live lived living look looked looking lose lost love loved loving made mail make makes making manage mark marry
matter mean means meant measure meet mention mess met mind miss missed mix move moved moving need needed nod note
notice offer open order owe own pack paid paint park pass passed pause pay perform pick plan planned planning play
played playing plead point pour practice practise pray prefer prepare present press pretend prevent print promise
protect prove pull push put quit raise ran reach react read reading realise realize receive recommend record reduce
refer refuse relate relax remain remember remind remove rent repeat reply report request require rest return rid ride
ring rise roll rub ruin run running rush said sail sang save saw saying scare see seeing seemed seen sell send sent
serve set settle shake share shine shoot shop show shown shut sign sing sit skip sleep sleeping slept slip slow smell
smile smoke snap solve sort sound sounding speak spell spend spent spoke spoken spread stand stare start started
starting state stay stayed steal step stick stood stop stopped stretch study succeed suck suggest suit suppose
surprise swear swim switch take taken taking talk talked talking taste teach tell telling test thank thanks think
thinking thought threw throw tidy tie told took touch train travel treat tried trip trust try trying turn turned type
understand understood update upset use used visit vote wait waited waiting wake walk walked walking wander wanna want
wanted warm wash waste watch watched watching wave wear went wish woke woken wonder wondering wore work worked working
worry worth wrap write written wrote yell
"""

_NOUNS = """
accident account action address advice afternoon age air amount animal apartment apple area arm art article attention
aunt autumn baby bag ball bank bar base bath beach bed bedroom beer bike bill bird birthday block blood board boat
body bone boss bottle bottom bowl box boy boyfriend brain bread break breakfast breath bridge brother bus business
butter cake camera can car card case cat center centre chair chance chapter child childhood children chocolate choice
church city class clothes cloud coat coffee cold colleague college color colour company computer concert conversation
cookie corner country course cousin cream crowd cup dad date daughter day days deal death decision degree desk detail
diet dinner direction doctor dog dollar door doubt drama drink dude ear earth effort egg emotion end energy evening
evenings event exam example excuse exercise experience eye eyes face fact family fan father favor favorite favour
favourite fear feeling feet film finger fire fish floor flower folk folks food foot football form freedom friday
friend friends front fruit fun future game games garden gift girl girlfriend glass goal god grandma grandpa grass
ground group guitar gun guy guys gym hair half hall hands hat head health heart heat heaven hell hill history hobby
hole holiday holidays home homework honey hospital hotel hour hours house hug husband ice idea image information
interest internet issue item job joke joy juice key kids kind king kitchen lady lake language laugh law leg lesson
letter level library life light line list lot lots luck lunch machine mama man manner map market math matter meal meat
meeting memory men message metal middle midnight milk mind minute minutes mom moment monday money month months mood
moon morning mornings mother mountain mouth movie movies mum music name names nature neck neighbor neighbour news
newspaper night nights noise noon nose notion number object ocean office oil opinion option page pain pair paper
parent parents park part partner party past pasta path peace pen people person phone photo picture piece pizza place
plan plane plans plant plate pleasure pocket point power pressure price problem problems program programme project
question questions queue rain reason relief rest restaurant result rice right ring river road rock role room rule
running sale salt sandwich saturday scene school sea season seat sense series service shape ship shirt shoe shoes shop
show shower side sign sister situation size skin sky sleep smile snow soap society sofa soil solution son song sort
soul sound soup space sport sports spot spring stage star station step stick stomach stone store storm story stranger
street stress stuff style subject sugar summer sun sunday sunshine supper surprise system table talk tea teacher team
technology teeth television term test thing things thought thursday ticket time times tip today tomorrow tongue
tonight tool tooth top topic town toy traffic train tree trick trip trouble truth tuesday tv type uncle unit
university vacation value video view voice walk wall war watch water way ways weather wednesday week weekend weekends
weeks weight wife wind window wine winter woman women wood word words work world year years yesterday youth
"""

_QUALITIES = """
able absolute absolutely active actual actually afraid alive alright amazing amazingly angry asleep available awake
aware awesome awful awfully bad badly basic basically beautiful best better big bitter black blue bold bright
brilliant broad brown calm careful carefully cheap chill chilly clean clear clearly clever close cloudy cold
comfortable common complete completely confused content cool correct cosy cozy crazy cruel curious cute daily damn
dangerous dark dead dear decent deep definitely delicious delighted delightful different difficult dirty double dry
dull eager early easily easy empty entire equal evil excellent excited exciting exhausted expensive extra extremely
fabulous fair fairly false famous fancy fantastic far fast fat fierce final finally fine firm flat foggy fond foolish
fortunate free freezing frequent fresh friendly frightened full fully funny gentle genuine glad glorious good gorgeous
grand grateful gray great greatly green grey gross grumpy guilty handy happily happy hard hardly harsh healthy heavy
high hilarious honest honestly hopeful hopefully hot huge humble hungry ill immediately important impossible
incredible incredibly interested interesting jealous jolly keen kind kindly large late latest lazier lazy light little
lonely long loose lots loud lovely low lucky mad main marvellous marvelous mean mellow mild modern nasty natural
naturally neat necessary nervous new nice nicely noisy normal normally obvious obviously odd old only opposite
ordinary original outstanding particular perfect perfectly personal pink plain pleasant pleased poor popular positive
possible possibly precious present private proper proud public purple quick quickly quiet quietly random rare ready
real recent recently red refreshed regular relaxed relaxing relieved rich ridiculous right rough round rude sad safe
scared secret secretly serious seriously shallow sharp shocked short shy sick silly similar simple simply single
sleepy slight slightly slow slowly small smart smooth soft solid sorry special splendid strange strict strong stuck
stupid sudden suddenly sunny super superb surprised sweet swell tall tasty terrible terribly terrific thankful thick
thin thirsty tight tiny tired tiring tomorrow total totally tough true truly ugly unbelievable unfortunately unhappy
unique unusual upset useful usual weak weird welcome wet white wicked wide wild windy wise wonderful wooden worse
worst worthwhile wrong yellow young yummy
"""

_GREETINGS = """
aha ahh amen anyways aw aww awwww blah bless bon boo bro buddy bye byes cheerio cheers chit cmon congrats
congratulations dang darling dear duh eh em er fella fellas fingers gee goodbye goodness goodnight gosh ha haha hahaha
hehe hello heya hi hiya hmm hmmm holler howdy huh hurrah hurray jeez k kk lad lads lmao lol lovely luck mate mates mhm
mm mmm morning nah nope omg oof ooh oops ouch pal pardon peachy pff phew psst rofl salut see shh shucks sis sup
sweetheart sweetie ta thank thanx thx til toodles tty ttyl uh uhh uhm um umm whatsup whoa whoops woah woo woohoo wow
wuu ya yah yall yawn yay yea yeah yeh yep yikes yo yum yup zzz
"""

_FOREIGN = """
aan aber al algo alla alles als also am an anche ao aquí as así até au auch auf aus aux avec avoir beaucoup bei beim
bem bene bent bien bij bin bis bist bitte boa bom bonjour bonne bonsoir buenas bueno buenos buona buongiorno ce cela
ces cette che chez ci ciao com come con cosa così da dag dal dan danke dann dans das dass dat de degli dei dein del
della dem den der des deze di dich die dir dit do doch dos du durch día e ed een ein eine einem einen einer el ela ele
ella elle elles ellos em en então er era es esa ese eso essa esse est esta estar este esto estou estoy está et eu euch
eux fa fait fare foi fue für ga gaat ganz gar ge geen geht gli goed goede gracias grazie gut gute guten ha haar habe
haben hallo hast hat hay heb hem het hier hij ho hoi hola hoy ich ihm ihn ihr ik il ils im in io is isso ist ja je
jetzt jij jou jullie já kan kein keine la las le lei les leur lo loro los lui lá ma maar mais man mas me meer mehr
mein meine merci mes met meu mi mia mich mij mijn minha mio mir mis mit moi molto mon morgen mucho muito muy más na
naar nach nada nas ne nein nel nella ni nicht nichts niet niets no noch nog noi non nos notre nous nu nur não o
obrigada obrigado oder of oggi olá om on ons ont ook op os ou oui over par para pas pela pelo per pero più plus poi
por porque pour pues qual que quello questa questo sa salut sans schon se sea sehr sei sein seine sem ser ses seu si
sich sie sin sind so sobre son sono sont soy sta sto su sua suis sur sus sì sí só ta tag también também te tem tengo
ter tes ti tiene toch todo todos toi ton tot tous tout toute très tu tudo tus tutto u uit um uma un una und une uno
uns va vai van vas veel você voi vom von voor vor vos votre vous war warum wat we wel wenn wir y ya yo zijn zo zu zum
zur ça è
"""

#: Days and months are written with a capital whatever they are: in a name of theirs that says nothing.
CALENDAR = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august"
    " september october november december christmas easter i ok god english spring summer autumn winter".split()
)


def _folded(*texts: str) -> frozenset[str]:
    return frozenset(fold_name(word) for text in texts for word in text.split())


#: Words that are in any message, and what is said in greeting.
SMALL = _folded(_FUNCTION, _GREETINGS, _FOREIGN).union(*(map(fold_name, words) for words in QUESTION_WORDS.values()))
COMMON = SMALL | _folded(_VERBS, _NOUNS, _QUALITIES)
#: How much nearer in meaning an entry has to be to a message of common words alone.
NEARER = 0.1

_ENDINGS = ("ies", "es", "s", "ed", "ing", "d", "er", "ly")
_STRETCHED = re.compile(r"(.)\1{2,}")


def is_common(word: str) -> bool:
    """Say whether a folded word is one that everybody uses: itself, what it is a form of, or stretched (`sooo`)."""
    if word in COMMON or word.isdigit() or not any(map(str.isalnum, word)):
        return True
    if len(word) == 1:
        return word.isascii()
    return _STRETCHED.sub(r"\1", word) in COMMON or any(
        word.endswith(ending) and word.removesuffix(ending) in COMMON for ending in _ENDINGS
    )


def telling(text: str) -> set[str]:
    """The folded words of a text that are not common: what it is about."""
    return {word for start, end in word_spans(text) if not is_common(word := fold_name(text[start:end]))}


def least_cosine(text: str, floor: float) -> float | None:
    """How near in meaning an entry has to be to a message; None for a message that says nothing.

    Of 224 lines of small talk 3 % came nearer than .45 to some turn of a chat, less than 1 % nearer than .55.
    """
    if telling(text):
        return floor
    words = {fold_name(text[start:end]) for start, end in word_spans(text)}
    return min(1.0, floor + NEARER) if any(word.isalpha() and word not in SMALL for word in words) else None
