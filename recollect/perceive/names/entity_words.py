"""Words by which the names of people, places and organisations are told apart. Tables, no decisions.

Places and organisations that texts of all sorts name; what is missing is still found where the words beside it say
what it is. Given names are in `name_words`.
"""

from __future__ import annotations

_COUNTRIES = """
    Afghanistan Albania Algeria Andorra Angola Argentina Armenia Australia Austria Azerbaijan Bahamas Bahrain Bangladesh
    Barbados Belarus Belgium Belize Benin Bhutan Bolivia Botswana Brazil Brunei Bulgaria Burundi Cambodia Cameroon
    Canada Chad Chile China Colombia Congo Croatia Cuba Cyprus Denmark Ecuador Egypt Eritrea Estonia Ethiopia Fiji
    Finland France Gabon Gambia Georgia Germany Ghana Greece Greenland Guatemala Guinea Guyana Haiti Honduras Hungary
    Iceland India Indonesia Iran Iraq Ireland Israel Italy Jamaica Japan Jordan Kazakhstan Kenya Kosovo Kuwait Laos
    Latvia Lebanon Liberia Libya Liechtenstein Lithuania Luxembourg Madagascar Malawi Malaysia Maldives Mali Malta
    Mauritius Mexico Moldova Monaco Mongolia Montenegro Morocco Mozambique Myanmar Namibia Nepal Netherlands Nicaragua
    Niger Nigeria Norway Oman Pakistan Palestine Panama Paraguay Peru Philippines Poland Portugal Qatar Romania Russia
    Rwanda Samoa Senegal Serbia Singapore Slovakia Slovenia Somalia Spain Sudan Suriname Sweden Switzerland Syria Taiwan
    Tanzania Thailand Togo Tunisia Turkey Uganda Ukraine Uruguay Uzbekistan Venezuela Vietnam Yemen Zambia Zimbabwe
    England Scotland Wales Britain Africa Asia Europe Antarctica Oceania Catalonia Bavaria
    Tuscany Sicily Provence Normandy Siberia Hawaii Alaska Bali Crete Scandinavia Himalayas Alps Andes Pyrenees Rockies
    Everest Sahara Amazonia Midwest Balkans
"""
_STATES = """
    Alabama Arizona Arkansas California Colorado Connecticut Delaware Florida Idaho Illinois Indiana Iowa Kansas
    Kentucky Louisiana Maine Maryland Massachusetts Michigan Minnesota Mississippi Missouri Montana Nebraska Nevada Ohio
    Oklahoma Oregon Pennsylvania Tennessee Texas Utah Vermont Virginia Wisconsin Wyoming Ontario Quebec Alberta Manitoba
    Queensland Tasmania
"""
_CITIES = """
    Aberdeen Adelaide Amsterdam Ankara Antwerp Athens Atlanta Auckland Austin Baghdad Baltimore Bangalore Bangkok
    Barcelona Basel Beijing Beirut Belfast Belgrade Berlin Bern Bilbao Birmingham Bogota Bologna Bombay Bordeaux Boston
    Brasilia Bratislava Brighton Brisbane Bristol Brooklyn Brussels Bucharest Budapest Cairo Calgary Cambridge Canberra
    Cardiff Charlotte Chennai Chicago Cincinnati Cleveland Cologne Copenhagen Cork Dallas Damascus Delhi Denver Detroit
    Dortmund Dresden Dubai Dublin Durban Edinburgh Edmonton Florence Frankfurt Galway Geneva Genoa Ghent Glasgow
    Gothenburg Granada Guangzhou Halifax Hamburg Hanoi Harlem Havana Helsinki Hollywood Honolulu Houston Hyderabad
    Indianapolis Istanbul Jakarta Jerusalem Johannesburg Kabul Karachi Kiev Kolkata Krakow Kyiv Kyoto Lagos Lahore
    Leeds Leipzig Lille Lima Lisbon Liverpool Ljubljana London Luxor Lyon Madrid Malaga Manchester Manhattan Manila
    Marrakech Marseille Medellin Melbourne Memphis Miami Milan Milwaukee Minneapolis Montreal Moscow Mumbai Munich
    Nairobi Nantes Naples Nashville Newcastle Nottingham Oakland Orlando Osaka Oslo Ottawa Oxford Palermo Paris
    Philadelphia Phoenix Pisa Pittsburgh Portland Porto Prague Pretoria Raleigh Reykjavik Riga Rome Rotterdam Sacramento
    Salzburg Santiago Sarajevo Seattle Seoul Seville Shanghai Sheffield Shenzhen Sofia Stockholm Strasbourg Stuttgart
    Sydney Taipei Tallinn Tampa Tehran Tokyo Toronto Toulouse Turin Utrecht Valencia Vancouver Venice Verona Vienna
    Vilnius Warsaw Wellington Wuhan Yokohama York Zagreb Zurich
"""
_LONG_PLACES = """
    new york|new york city|new zealand|new mexico|new jersey|new hampshire|new orleans|new delhi|new south wales|
    north carolina|south carolina|north dakota|south dakota|west virginia|north america|south america|latin america|
    central america|south africa|south korea|north korea|saudi arabia|sri lanka|costa rica|puerto rico|el salvador|
    united states|united states of america|united kingdom|great britain|northern ireland|czech republic|hong kong|
    los angeles|las vegas|san francisco|san diego|san jose|san antonio|salt lake city|kansas city|oklahoma city|
    mexico city|cape town|rio de janeiro|sao paulo|buenos aires|kuala lumpur|abu dhabi|tel aviv|st petersburg|
    ho chi minh city|silicon valley|pacific northwest|middle east|east coast|west coast|rhode island|
    washington dc|washington|british columbia|nova scotia|eiffel tower|central park|times square|middle-earth
"""
PLACES = frozenset(word.casefold() for word in f"{_COUNTRIES} {_STATES} {_CITIES}".split()) | frozenset(
    phrase.strip() for phrase in _LONG_PLACES.replace("\n", "").split("|")
)
WIDE_PLACES = frozenset(word.casefold() for word in f"{_COUNTRIES} {_STATES}".split())  # that hold other places
PLACE_ACRONYMS = frozenset("UK USA US UAE NYC LA SF DC EU NZ U.S. U.K.".split())
PLACE_ENDINGS = frozenset(
    """
    city town village county river mountain mountains hills valley canyon park beach lake lakes island islands bay
    falls coast desert forest street avenue road boulevard square bridge tower castle cathedral airport station
    peninsula volcano harbor harbour ocean sea glacier trail northwest northeast southwest southeast
    """.split()
)
PLACE_OPENINGS = frozenset(
    "mount mt lake fort san santa los las saint st port cape cliffs isle gulf strait bay isles".split()
)
_COMPANIES = """
    Google Microsoft Apple Amazon Facebook Meta Netflix Twitter Instagram LinkedIn TikTok YouTube Spotify Uber Airbnb
    Tesla Nvidia Intel Siemens Bosch Samsung Sony Nokia Huawei Toyota Honda Volkswagen Mercedes Nike Adidas Puma
    Gatorade Pepsi Starbucks Ikea Walmart Costco Ebay PayPal Mastercard Nintendo Sega Ubisoft Disney Pixar Marvel
    Reuters Reddit Wikipedia Mozilla Dropbox Salesforce Shopify Accenture Deloitte DoorDash UNESCO UNICEF
    """
_LONG_ORGANISATIONS = """
    goldman sachs|red cross|under armour|door dash|general electric|world bank|united nations|european union|
    habitat for humanity|doctors without borders|new york times
"""
ORGANISATIONS = frozenset(word.casefold() for word in _COMPANIES.split()) | frozenset(
    phrase.strip() for phrase in _LONG_ORGANISATIONS.replace("\n", "").split("|")
)
ORGANISATION_ACRONYMS = frozenset(
    "IBM SAP BMW HBO BBC CNN NASA NATO UNESCO UNICEF FBI CIA NBA NFL NHL MLB FIFA UEFA IMF MIT UCLA NYU AMD".split()
)
ORGANISATION_ENDINGS = frozenset(
    """inc ltd llc corp corporation gmbh plc co company group holdings partners university college school academy
    institute bank foundation association society union church hospital clinic museum library studios labs laboratories
    agency ministry department committee council club league federation airlines airways pictures records press
    ventures capital restaurant cafe bakery""".split()
)
PROJECT_ENDINGS = frozenset("project initiative programme app repo repository codebase platform".split())
SERVICE_ENDINGS = frozenset("service api server gateway worker scheduler".split())
# Of what `technology_words` knows: what people work with, rather than build from.
TOOLS = frozenset(
    """Git GitHub GitLab Bitbucket Docker Terraform Ansible Jenkins CircleCI Grafana IntelliJ PyCharm Neovim
    Vim Emacs tmux Jira Trello Figma Photoshop AutoCAD Notion Slack Discord Chrome Safari Firefox Excel Blender Asana
    Linear Copilot Cursor Jupyter Xcode ESLint pytest mypy Webpack Vite npm pnpm Playwright""".split()
) | {"VS Code"}

# Given names beside those of `name_words`, and what animals at home are called.
MORE_NAMES = frozenset(
    """
    Abby Abdul Abel Adele Adriana Agatha Aidan Aileen Akira Alana Alba Alberto Alec Alejandra Alena Alessandro Alexis
    Alfie Alfonso Alfred Alina Aline Alma Alonso Alvaro Alvin Amal Amar Amara Ambrose Amina Anastasia Anders Andre
    Andrei Andres Angelo Angus Anika Anil Anja Annette Anton Antonia Anya Archie Ari Ariana Arnold Arturo Arun Asha
    Astrid Aurora Ava Axel Aya Bailey Barry Becky Belinda Bella Benedict Benito Bennett Bernadette Bert Bertha Bethany
    Beverly Bill Billie Birgit Bjorn Blake Blanca Bob Bobby Bonnie Boris Brad Bradley Bree Brenna Brent Brett Bridget
    Brigitte Britney Bruce Bryan Bryce Buddy Caitlin Callum Cameron Candice Carina Carlo Carlotta Carly Carmela
    Carolina Casey Cecilia Cedric Celeste Celia Cesar Chandra Chantal Cheryl Chidi Christa Christoph Ciara Cindy Clark
    Claudia Clement Clifford Clive Clyde Coco Cody Conor Constance Cora Corinne Cory Curtis Cyril Daisy Daphne Daria
    Darius Darla Darryl Dean Deanna Deb Deepa Delia Denise Desmond Diane Dieter Dina Dirk Dolores Dominik Dominique
    Dorian Duncan Dustin Dwight Ed Eddie Edgar Edith Edmund Eduardo Edwin Effie Elaine Eleanor Eliana Elina Elisa
    Elisabeth Elise Ellie Eloise Elsa Elsie Elvira Emanuel Emil Emile Emilia Emilio Enrico Enrique Ernest Ernesto
    Ernie Esme Esteban Estelle Esther Eugene Eunice Ezra Fabian Fabio Farah Farid Faye Federica Federico Felicia
    Felicity Felipe Ferdinand Fido Finn Flora Francis Franco Franz Freda Frederic Frederick Freya Frieda Fritz Gabby
    Gareth Garrett Gavin Gemma Genevieve Geoff Geoffrey Georg Gerard Gerda Gerhard Gertrude Gianna Gilbert Giorgio
    Giovanni Gisela Giselle Glen Glenn Greta Guido Guillermo Gunther Gus Gustav Gwen Hamid Hank Harriet Harrison
    Haruto Harvey Hazel Heath Heinz Hermann Hilda Holly Howard Hubert Hugh Humphrey Ida Ignacio Igor Ike Ilse Iman
    Imogen Imran Ingo Ira Irina Iris Irma Isa Isaiah Isla Ismael Isobel Ivana Ivy Jacinta Jackie Jacqueline Jacques
    Jade Jaime Jakob Jamal Jameson Janice Janine Jared Jasmin Jasmine Jasper Javi Jay Jayden Jeanette Jeanne Jefferson
    Jen Jeremiah Jerome Jess Jesse Ji Jo Joachim Joao Joaquin Jocelyn Jodie Joey Johanna Johannes Jolene Jolie Jonah
    Jorg Josefina Josie Juana Judd Jude Jules Juliana Julio Julius Jurgen Justin Justine Kai Kamal Kara Karim Karin
    Karina Karla Kasia Katarina Katja Katrina Katya Kayleigh Keira Kendra Kenji Kent Kerry Khalid Kian Kiara Kirsten
    Klara Klaus Kofi Kristen Kristin Kristina Krystal Kurt Kwame Lance Lara Larissa Larry Latoya Laurel Lauri Lawrence
    Layla Leandro Lee Leila Leona Leonardo Leonie Leroy Lester Leticia Levi Lexi Liana Lidia Lilian Liliana Lillian
    Lina Linh Lionel Livia Lloyd Lois Lola Lorena Lorenzo Loretta Lori Lorraine Lothar Louisa Luciana Luciano Lucille
    Ludwig Luigi Luisa Lukas Luna Luther Lynn Mabel Mackenzie Madeleine Mae Magda Magdalena Maggie Magnus Mahmoud
    Maisie Malcolm Malik Mandy Manfred Mara Marc Marcel Marcela Marcelo Marcia Marcos Margarita Margo Margot Mariam
    Mariana Marianne Maribel Marilyn Marion Marissa Marjorie Mark Marlene Marlon Marshall Marvin Mason Massimo Mateus
    Mathias Mathilde Matilda Maurice Mauricio Max Maxine Maxwell Megan Mehmet Meredith Micaela Micah Mick Mikhail
    Millie Milo Milton Min-jun Mindy Minh Minnie Mira Miranda Miriam Mitch Mitchell Moira Mona Monika Morgan Morris
    Moses Muhammad Murray Myra Myrtle Nabil Nadine Nala Nasser Nathaniel Neal Ned Nell Nelly Nelson Nestor Neville
    Ngozi Nicola Nicolas Nigel Nikki Niklas Nikolai Nils Noel Noelle Noor Norbert Norma Norman Odette Olaf Oleg Ollie
    Ophelia Oreo Oskar Osman Otto Paige Paola Patsy Patti Paulina Pauline Paulo Penny Perry Pete Petra Philippa Phoebe
    Phyllis Pierre Pilar Polly Portia Preston Priscilla Quinn Rafaela Raheem Ralf Ramona Randall Randy Raquel Rashid
    Raul Ravi Reggie Regina Reginald Reid Reinhard Renata Renate Rene Reuben Rex Rhea Rhonda Ria Riccardo Rico Riley
    Rob Roberta Rocio Rocky Rodney Rodrigo Roland Rolf Romeo Rosalie Rosalind Rosario Rose Rosemary Rosie Rowan
    Roxanne Rudy Rufus Rupert Ruth Sabine Sadie Sakura Salim Salma Salvador Samir Sana Sandy Sasha Saul Scarlett
    Selena Selma Seo-yeon Serena Sergei Shane Shannon Shawn Sheila Shelby Shelley Sheryl Sibyl Sidney Sierra Silas
    Silvia Simba Simone Sipho Skye Solomon Sonja Spencer Stacy Stanley Steffi Stephan Stewart Sunil Susana Suzie Sven
    Svetlana Tabitha Tania Tariq Tasha Tatiana Taylor Terence Terry Tess Tessa Thandi Thanh Thelma Thiago Thorsten Tia
    Tiffany Tilda Tilly Timo Titus Toby Tomas Toni Tracey Travis Tricia Trina Tristan Troy Trudy Udo Ulrich Uma Ursula
    Usman Valentin Valeria Vanya Vernon Veronika Vicente Vicky Viktor Vince Viola Vivienne Vlad Vladimir Wade Wallace
    Wanda Warren Wayne Werner Wes Wesley Whitney Wilbur Wilhelm Will Willa Willem Wilma Winston Wolfgang Xavier
    Yannick Yara Yolanda Yosef Yves Yvette Yvonne Zach Zack Zainab Zara Zeke Zelda Zena Ziggy Zoltan Zora
    """.split()
)
VERBS_TOO = frozenset(
    "Will Mark Rose Bill Wade Lance Chase Grace Hope Buddy Rob Pat Drew Jack".split()
)  # begin sentences
NICKNAMES = {
    short: frozenset(names.split(","))
    for short, names in (
        entry.split("=")
        for entry in """
        mel=melanie,melissa,melinda jo=joanna,joanne,josephine,jolene,joan joe=joseph caro=caroline,carolina
        carrie=caroline liz=elizabeth beth=elizabeth,bethany lizzy=elizabeth eliza=elizabeth betty=elizabeth
        ben=benjamin,benedict benny=benjamin dan=daniel danny=daniel dave=david mike=michael mick=michael matt=matthew
        nate=nathan,nathaniel nat=natalie,nathan,natasha nick=nicholas tom=thomas tommy=thomas tim=timothy jim=james
        jimmy=james jamie=james jon=jonathan johnny=john jack=john bob=robert rob=robert bobby=robert bill=william
        will=william billy=william liam=william rick=richard rich=richard dick=richard steve=steven,stephen
        sam=samuel,samantha sammy=samuel,samantha alex=alexander,alexandra,alexis sasha=alexander,alexandra
        al=albert,alan,alfred andy=andrew drew=andrew tony=anthony,antonio
        chris=christopher,christine,christina,christian kate=katherine,catherine,kathryn katie=katherine,catherine
        kathy=katherine,kathleen cathy=catherine jen=jennifer jenny=jennifer jess=jessica becky=rebecca debbie=deborah
        deb=deborah,debra sue=susan susie=susan pat=patricia,patrick patty=patricia maggie=margaret meg=margaret,megan
        peggy=margaret greg=gregory jeff=jeffrey ken=kenneth kim=kimberly vicky=victoria vic=victor,victoria
        cal=calvin fred=frederick gabe=gabriel josh=joshua zach=zachary zack=zachary max=maximilian,maxine
        leo=leonard,leonardo ed=edward eddie=edward ted=edward,theodore theo=theodore phil=philip,phillip ron=ronald
        ray=raymond abby=abigail ellie=eleanor,ellen gus=august,augustus hank=henry harry=harold,henry jake=jacob
        larry=lawrence lou=louis,louise manny=manuel pam=pamela pete=peter russ=russell sandy=sandra tina=christina
        val=valerie wes=wesley mandy=amanda cindy=cynthia annie=anna,anne
        """.split()
    )
}
# Short forms that are no names of people, by what they stand for.
ABBREVIATIONS = {
    "nyc": "new york city",
    "ny": "new york",
    "la": "los angeles",
    "sf": "san francisco",
    "dc": "washington dc",
    "uk": "united kingdom",
    "u.k.": "united kingdom",
    "usa": "united states",
    "us": "united states",
    "u.s.": "united states",
    "uae": "united arab emirates",
    "eu": "european union",
    "nz": "new zealand",
    "new york city": "new york",
    "united states of america": "united states",
    "k8s": "kubernetes",
    "postgres": "postgresql",
    "js": "javascript",
    "ts": "typescript",
}

# Capitalised for other reasons than being a name, in small letters.
NO_NAMES = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun january
    february march april may june july august september october november december jan feb mar apr jun jul aug sep sept
    oct nov dec christmas easter halloween thanksgiving hanukkah ramadan diwali valentine pride xmas english french
    german spanish italian chinese japanese korean russian arabic hindi portuguese dutch swedish norwegian danish
    finnish polish turkish greek latin hebrew american british canadian australian european african asian indian irish
    scottish mexican brazilian midwestern western eastern northern southern christian muslim jewish buddhist catholic
    hindu internet web ok okay btw tv ai lol omg fyi asap diy diys faq ceo cto hr pr id url api http https html pdf
    usb gps gpu cpu ram lgbtq lgbt lgbtq+ todo fixme note ps rip ii iii iv vip rpg i god mom dad mum grandma grandpa
    mother father sir madam team sr sra srta jr mr mrs ms miss dr prof professor uncle aunt coach captain zen yoga part
    chapter section figure table step version phase wow yeah yep yup nope hey hi hello bye thanks thank congrats
    congratulations woah woo woohoo whoa oh ah aw aww haha hmm ugh yay great cool nice awesome amazing good glad happy
    sounds sure agreed totally absolutely exactly definitely true right well so and but or if when then also just no
    not yes please sorry way what how why where who which that this these those there here it its he she they we you
    my our your his her their the a an in on at to from for by with of as is are was were do does did can could will
    would should have has had let lets maybe last next first second once since after before while because although
    though however anyway besides plus even still now today tomorrow yesterday tonight recently lately finally
    actually really seriously honestly hopefully luckily unfortunately everyone everybody someone somebody anyone
    nobody nothing everything something all any some many most both each every other another such same long hope love
    loved miss looks looking seems take keep check see look go going come give get got make made one two three four
    five ten name y'all ya gonna gotta wanna ha mm yum absolutely perfect welcome cheers project cc dear re subject
    regards best
    """.split()
)
INTERJECTIONS = (
    r"hey|hi|hello|bye|goodbye|thanks|thank you|thank you so much|thanks so much|thanks again|congrats|congratulations|"
    r"wow|woah|whoa|woo|woohoo|yeah|yep|yes|no|sure|sure thing|ok|okay|oh|aw|aww|ha|haha|hmm|agreed|absolutely|totally|"
    r"exactly|definitely|right|true|cool|nice|great|awesome|amazing|sorry|please|dear|good morning|good night|"
    r"way to go|good job|great job|nice job|well done|no worries|no problem|same here|of course|you too|see you|"
    r"take care|good luck|sounds great|sounds good|ah|yay|for sure|you got this|keep it up|nice one|"
    r"you're right|that's great|cheers"
)
ANIMALS = r"dog|cat|puppy|pup|kitten|kitty|turtle|hamster|rabbit|bunny|horse|parrot|fish|goldfish|guinea pig|pet"
ANIMALS_AND_ROLES = (
    rf"{ANIMALS}|"
    r"character|hero|heroine|superhero|protagonist|actor|actress|author|writer|singer|musician|artist|player|"
    r"guy|man|woman|girl|boy|lady|kid|baby|someone|somebody|resident|student|person|people|friend"
)
