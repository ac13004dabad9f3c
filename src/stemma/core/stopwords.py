"""The stop words of retrieval, by language; a part of the analyser's version.

Only for searching. What carries meaning in a statement (on, off, not, before) is decided by the extractor's own lists.
"""

from functools import lru_cache

from stemma.core.folding import fold

_LISTED = {
    # Measured: the long list, with the questions' own words, is worth .05 R@10 on dialogue and costs nothing elsewhere.
    "en": """
        a about above after again all also am an and any are as at be because been before being below between
        both but by can could did do does doing down during each few for from further had has have having he
        her here hers herself him himself his how i if in into is it its itself just me more most my myself no
        nor not now of off on once only or other our ours ourselves out over own same she should so some such
        than that the their theirs them themselves then there these they this those through to too under until
        up very was we were what when where which while who whom why will with would you your yours yourself
        yourselves s t d ll m re ve don didn doesn isn wasn let
    """,
    "de": """
        aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf
        aus bei bin bis bist da damals damit dann das dass daß dasselbe dazu dein deine deinem deinen deiner
        deines dem demselben den denn denselben der derer derselbe derselben des desselben dessen dich die
        dies diese dieselbe dieselben diesem diesen dieser dieses dir doch dort du durch ein eine einem einen
        einer eines einig einige einigem einigen einiger einiges einmal er es etwas euch euer eure eurem euren
        eurer eures für gegen gewesen hab habe haben hat hatte hatten hattest hier hin hinter hätte ich ihm
        ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem ins ist jede jedem jeden jeder jedes jene jenem
        jenen jener jenes jetzt kann kannst kein keine keinem keinen keiner keines können könnte man manche
        manchem manchen mancher manches mein meine meinem meinen meiner meines mich mir mit muss musste müssen
        nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seines selbst sich
        sie sind so solche solchem solchen solcher solches soll sollte sollten sondern sonst um und uns unser
        unsere unserem unseren unserer unseres unter viel viele vielen vieler vom von vor war waren warst
        warum was weg weil welche welchem welchen welcher welches wem wen wenn wer werde werden wessen weshalb
        wie wieder wieviel wieviele wieso will wir wird wirst wo wofür woher wohin wollen wollte womit wodurch
        worden wurde wurden während würde würden zu zum zur zwar zwischen über
    """,
    "fr": """
        a ai aie aient aies ait alors as au aucun aucune aura aurait aussi autre autres aux avaient avais
        avait avant avec avez avions avons ayant c ce ceci cela celle celles celui ces cet cette ceux chaque
        chez combien comme comment d dans de des depuis donc dont du elle elles en encore entre es est et
        etaient eu eux eût fait fut furent hors ici il ils j je jusqu l la laquelle le lequel les lesquelles
        lesquels leur leurs lors lorsque lui là m ma mais me mes moi moins mon même n ne ni nos notre nous on
        ont ou où par parce pas pendant peu peut plus pour pourquoi puis qu quand que quel quelle quelles
        quels qui quoi s sa sans se sera serait ses si sien soit son sont sous suis sur t ta tandis te tes toi
        ton tous tout toute toutes tu très un une vers vos votre vous y à étaient étais était étant êtes être
    """,
    "es": """
        a al algo algunas alguno algunos algún ante antes así aun aunque aún bajo cada como con contra cual
        cuales cuando cuanta cuantas cuanto cuantos cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo de
        del desde donde durante dónde e el ella ellas ello ellos en entre era eran eras eres es esa esas ese
        eso esos esta estaba estaban estado estar estas este esto estos estoy está están fue fueron fui ha
        haber había habían han has hasta hay he hemos la las le les lo los me mi mis mientras mucho muchos muy
        más mí mía mío nada ni no nos nosotras nosotros nuestra nuestras nuestro nuestros o os otra otras otro
        otros para pero poco por porque pues que quien quienes quién quiénes qué se sea sean ser será si sido
        siendo sin sobre sois somos son soy su sus suya suyo sí también tan tanto te tenemos tener tengo tiene
        tienen ti todo todos tu tus tuya tuyo tú un una unas uno unos u vosotros vuestra vuestro y ya yo él
        éramos
    """,
    "it": """
        a abbiamo ad ai agli agl al alla alle allo anche ancora avere aveva avevano avevo c che chi ci
        ciascuno cioè come con contro cosa così cui d da dagli dai dal dall dalla dalle dallo degli dei del
        dell della delle dello dentro di dopo dov dove e ed era erano eri essere faccio fra fu furono gli ha
        hai hanno ho i il in io l la le lei li lo loro lui ma me mentre mi mia mie miei mio molto ne negli nei
        nel nell nella nelle nello nessuno no noi non nostra nostre nostri nostro o od ogni per perché perciò
        però più poi prima qual quale quali qualche quando quant quanta quante quanti quanto quella quelle
        quelli quello quell quest questa queste questi questo qui quindi sarà se sei senza si sia siamo siete
        sono sopra sotto sta stata stati stato stesso su sua sue sugli sui sul sull sulla sulle sullo suo suoi
        ti tra tu tua tue tuo tuoi tutti tutto un una uno v vi voi vostra vostre vostri vostro è
    """,
    "pt": """
        a ainda algo alguma algumas algum alguns ante antes ao aos após aquela aquelas aquele aqueles aquilo
        as assim até cada com como contra cuja cujo da das de dela delas dele deles depois desde do dos
        durante e ela elas ele eles em entre era eram essa essas esse esses esta estamos estas estava estavam
        este estes estou está estão eu foi fomos for foram fui haver havia há isso isto já lhe lhes lo mais
        mas me mesmo meu meus minha minhas muito na nas nem no nos nossa nossas nosso nossos num numa não nós
        o onde os ou para pela pelas pelo pelos per pois por porque porquê qual quais quando quanta quantas
        quanto quantos que quem quê se seja sem sendo ser será seu seus sido sob sobre sou sua suas são só
        também tem temos tenho ter teu teus teve tinha tinham tu tua tuas tudo têm um uma umas uns você vocês
        vos à às é
    """,
    "ru": """
        а без более больше будет будто бы был была были было быть в вам вас ваш ваша ваше ваши ведь во вот
        впрочем все всегда всего всех вы где да даже для до другой его ее ей ему если есть еще ж же за и из
        или им иногда их к каждый как какая каких какого какое какой каком какую какие какими когда кого кому
        конечно кто ко куда ли лучше между меня мне мой моя мое мои моего моей моих может можно мы на над надо
        наш наша наше наши не него нее ней нельзя нет ни нибудь никогда ним них ничего но ну о об один однако
        он она они оно опять от откуда перед по под после потом потому почему почти при про раз разве с сам
        свой свою своя свои своего сейчас себе себя сколько со совсем так также такой там тебя тем теперь то
        тогда того тоже только том тот ту твой твоя ты у уж уже хоть чего чей чем через что чтоб чтобы чуть
        эта эти этим этих это этого этой этом этот эту я
    """,
    "ar": """
        آن أثناء أحد أكثر أم أما أمام أن أنا أنت أنتم أنه أنها أو أول أي أية أيضا أين إذ إذا إلا إلى إن إنه
        إنها ال الآن التي الذي الذين اللاتي اللتان اللذان بأن بعد بعض بل بما به بها بهذا بهم بين تحت تلك تم
        تكون ثم جدا جميع حتى حول حيث حين خلال دون ذلك ذات سوف شيء ضد ضمن عدم على عليه عليها عما عن عند عندما
        عنه عنها غير فإن فقد فقط في فيما فيه فيها قبل قد كان كانت كل كلا كم كما كي كيف لا لأن لدى لدي لقد لك
        لكل لكن للتي للذي لم لماذا لمن لن له لها لهم لو لي ليس ليست ما ماذا متى مثل مع معه معها مما من منذ منه
        منها منهم نحن نحو نعم هؤلاء هذا هذه هل هم هما هن هنا هناك هو هي وأن وأنا وإن وقد وكان وكانت ولا ولم
        وما ومن وهذا وهذه وهو وهي و يا يكون
    """,
    "hi": """
        अन्य अपना अपनी अपने अब अभी आप आपका आपकी आपके इन इनका इनके इस इसका इसकी इसके इसमें इसे उन उनका उनकी
        उनके उनको उस उसका उसकी उसके उसने उसमें उसे एक एवं ऐसा ऐसी ऐसे ओर और कब कभी कर करता करती करते करना करने
        कहाँ कहां का कि किन किया किस किसका किसकी किसके किसने किसी किसे की कितना कितनी कितने कुछ के को कोई कौन
        कौनसा कौनसी क्या क्यों गई गए गया जब जहाँ जहां जा जिन जिस जिसका जिसकी जिसके जिसने जिसमें जिसे जैसा जैसे
        जो तक तथा तब तो था थी थीं थे दिया द्वारा न नहीं ना ने पर पास फिर बहुत बाद भी मुझे मेरा मेरी मेरे में
        मैं मैंने यदि यह यहाँ यहां या ये रहा रही रहे लिए लेकिन व वह वहाँ वहां वाला वाली वाले वे वो सकता सकते
        सबसे साथ से हम हमारा हमारी हमारे ही हुआ हुई हुए हूँ हूं है हैं हो होता होती होते होना होने
    """,
}


@lru_cache(maxsize=len(_LISTED) + 8)
def stop_words(language: str) -> frozenset[str]:
    """Give the folded stop words of a language; none where no list is kept."""
    return frozenset(map(fold, _LISTED.get(language, "").split()))
