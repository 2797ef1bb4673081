/// Common passwords of 8 or more characters, which a guesser tries first (NIST SP 800-63B-4 §3.1.1.2).
///
/// They are the guesses of `PasswordGuesses`, and a list: the ranking of the package zxcvbn 4.5.0 for Python (MIT
/// licence), of passwords seen in public breaches. The list has most of its first 3,600 entries of 8 or more printable ASCII
/// characters in lower case, without what is obscene or insults people.
enum CommonPasswords {
    /// Parsed when the first password is chosen, as a server that only verifies needs none of it. An entry of up to 15
    /// bytes is stored in place, without an allocation.
    static let entries = Set(list.split(whereSeparator: \.isWhitespace).map(String.init))

    /// Returns whether a password is common, without regard to case.
    ///
    /// - Parameter password: the new password, in NFC.
    static func contains(_ password: String) -> Bool {
        let lowercased = password.lowercased()
        // The longest guess has 20 characters twice and a decoration.
        guard lowercased.utf8.count <= 64 else { return false }
        return entries.contains(lowercased) || PasswordGuesses.contains(lowercased)
    }

    private static let list = """
        password 12345678 123456789 baseball football qwertyuiop 1234567890 superman 1qaz2wsx trustno1 sunshine iloveyou
        computer starwars princess 11111111 corvette 1234qwer internet samantha q1w2e3r4t5 maverick mercedes steelers
        qwer1234 q1w2e3r4 midnight marlboro password1 1q2w3e4r cocacola jordan23 asdfasdf 12344321 liverpoo qwerty123
        passw0rd abcd1234 slipknot scorpion startrek asdfghjkl qazwsxedc liverpool dolphins qwertyui metallic mountain
        elephant rush2112 1q2w3e4r5t creative garfield asdfghjk 1qazxsw2 airborne brooklyn 4815162342 darkness blink182
        platinum 01012011 11223344 lifehack 12qwaszx snowball nintendo redwings explorer guinness lasvegas 789456123
        asdf1234 babygirl michigan carolina alexande minecraft metallica snickers paradise lacrosse poohbear qweasdzxc
        einstein drowssap spitfire maryjane champion svetlana westside security zaq12wsx 123456789a 1232323q scarface
        qwerty12 stargate 12345qwert semperfi scotland cherokee simpsons michael1 vladimir passport infinity bulldogs
        1234554321 budlight softball fktrcfylh kawasaki wildcats logitech swordfis alexandr motorola patriots colorado
        juventus freeuser warcraft wolverin elizabet valentin password123 spiderma ncc1701d pearljam 123qweasd predator
        charlie1 panthers peekaboo rolltide cardinal chevelle fyfcnfcbz 123654789 changeme electric darkside wolfpack
        hercules letmein1 741852963 spiderman blizzard 123456789q cheyenne cjkysirj a1b2c3d4 airplane billybob chocolat
        stingray firebird zeppelin tarheels greenday 01011980 engineer serenity fireball darkstar 1029384756 mustang1
        pavilion 01012000 bobafett dbrnjhbz welcome1 swimming defender precious icecream swordfish presario rockstar
        airforce thailand bluebird goldfish wrangler cadillac longhorn qazwsx123 microsoft 123qweasdzxc atlantis
        lonewolf software srinivas valentina veronika babydoll soso123aljg freedom1 montreal wolfgang basketba 31415926
        stephani jessica1 shamrock deftones renegade blahblah enterpri 1234abcd babylon5 sweetpea trfnthbyf aardvark
        marathon cavalier manchester buckeyes 01011990 diamonds 1qaz2wsx3edc highland drpepper 12345678910 sherlock
        morpheus consumer adgjmptw barcelona overlord sundance ultimate ncc1701e matthew1 geronimo 123qwe123 aleksandr
        portugal superfly q1w2e3r4t5y6 wrinkle1 seminole alejandr 11235813 concrete access14 letmein2 trombone rhbcnbyf
        qazxswedc cdtnkfyf stallion kingkong mongoose bluemoon a1234567 immortal 123454321 anthony1 hollywoo 14789632
        bonehead ghbdtnbr charlott hongkong william1 1123581321 sebastia werewolf lollipop eternity super123 cooldude
        tottenha makaveli verbatim blackcat raistlin qwerty12345 punkrock 01012010 waterloo musicman seinfeld megadeth
        gn56gn56 skywalke squirrel wolverine stardust qazwsxed twilight vanhalen intrepid 1234567a punisher showtime
        ekaterina 111222333 skittles hannibal thunder1 1q2w3e4r5t6y chelsea1 panasonic portland blackdog californ
        playtime 1a2b3c4d warriors chargers mushroom crusader dkflbvbh stranger guardian slapshot septembe 147896325
        rammstein 123321123 munchkin kittycat 1passwor barcelon coltrane goodluck starcraft katerina shaney14 discover
        lonestar meridian heather1 stonecol 192837465 lowrider 25802580 richard1 zaq1xsw2 tacobell halflife keyboard
        kangaroo socrates formula1 qwerasdf mailcreated5240 vacation penguins ragnarok colombia dodgeram mustangs
        sithlord scoobydo oblivion zxcv1234 blueeyes mersedes 12312312 patrick1 cowboys1 1122334455 gateway1 peterpan
        kingston pa55word freckles aspirine mariners rootbeer scooter1 11112222 plymouth justdoit 1234567q lightnin
        caliente goodtime thankyou raiders1 brucelee redalert aquarius catherin porkchop sapphire qwert123 a1s2d3f4
        qazwsxedcrfv blackjac chevrole 01012001 amsterdam spectrum diamond1 123456qwerty labrador syracuse front242
        candyman commando pineappl 8j4ye3uz monopoly romashka 123456aa spartans snuggles infiniti 1234567890q cosworth
        phoenix1 qawsedrf doberman brandon1 webmaster porsche9 beefcake viktoria starbuck valhalla starfish achilles
        ncc1701a sailboat jackson1 terminator phillies pa55w0rd frontier doughboy nebraska qwertyuio agent007 pinkfloy
        qwerty123456 dannyboy luckydog whocares vfrcbvrf vkontakte dilligaf golfball technics 01011991 15426378 aberdeen
        enterprise hurrican rfnthbyf dthjybrf excalibu melissa1 lancelot keystone passwort flamingo pokemon1 designer
        kamikaze warhammer apollo13 rangers1 manchest meatball truelove sentinel 123456789z jamesbon billyboy microsof
        microlab gordon24 01011985 73501505 passwor1 azsxdcfv charlton 01011970 bigmoney fordf150 superstar saratoga
        wildfire vladislav greenbay poiuytrewq chicken1 321654987 01011981 maradona chester1 rjirfrgbde rightnow
        jasmine1 hyperion treasure meatloaf 01011986 pass1234 anaconda woofwoof lionking happy123 albatros kenworth
        dinosaur happyday turkey50 ericsson chickens zxcasdqwe fktrcfylhf crazybab anhyeuem hardrock skywalker samsung1
        applepie abc12345 gandalf1 skorpion hedgehog australi america1 1qa2ws3ed 13243546 yosemite karolina starship
        greatone 0.0.0.000 78945612 cinnamon packers1 rastaman sojdlg123aljg robotech 18436572 mechanic
        pingpong operator rasputin 963852741 amsterda majestic wrestlin kingfish passwords zxcvbnm1 lineage2 charles1
        nwo4life a123456789 kcj9wx5n umbrella r2d2c3po snoopdog splinter underdog p0015123 shannon1 bullseye blackhaw
        jamesbond tunafish dkflbckfd 123789456 translator gfhjkm123 supersta magicman caligula 12131415 dfktynbyf
        tazmania tommyboy marino13 vfhufhbnf brighton mamapapa budweise getmoney qazwsx12 chainsaw eastside qwerty1234
        01011989 undertaker snowboar moneyman chrisbln viewsonic flounder whitesox thanatos panasoni sneakers chicago1
        ghjcnjnfr titanium madison1 intruder gargoyle poseidon newcastl johannes buckshot sunnyday 01011988 goldstar
        ferrari1 boomboom test1234 florida1 superman1 multiplelo motherlode westwood apple123 sunflowe babyblue
        123qwerty starfire paintbal lokomotiv winston1 rjycnfynby philippe panther1 avalanch newyork1 01011984 idontknow
        vfvfgfgf 01011987 zerocool 1x2zkg8w zxasqw12 francesc paintball syncmaster aleksandra 02071986 southpark
        cambiami monalisa chuckles gladiator spongebob 03082006 mazafaka meathead barefoot 12345678q cfitymrf blessing
        clevelan terrapin clarinet traveler pianoman hawkeyes casanova 10203040 meowmeow andromeda crystal1 triangle
        monster1 01011910 cerberus rockford 1q2w3e4r5 goldwing gabriell crjhgbjy james007 tiberius nokia6300 hayabusa
        12345679 salamander 12qw34er thegreat whiskers rhfcjnrf montgom240 sersolution rebecca1 spaceman bulldog1
        runescape 12345qwe lightning 01011992 megatron illusion roadking hoosiers 01091989 leavemealone 14725836
        realmadrid balloons tinkerbell heineken moonlight 02071982 12345678a mortgage fishing1 doghouse blackbir
        135792468 seahawks bookworm talisman blackjack babyface hawaiian 01011975 mortimer 123456654321 roadrunn
        01011993 handyman alphabet password2 digital1 beautifu dutchess tiffany1 idontkno teddybea valkyrie inuyasha
        wareagle dragonball dolphin1 gameover kittykat wishbone sinister 02021987 02011985 dragon12 gamecube 02081988
        preacher 02041986 z1x2c3v4 playstation 01011977 claymore checkers armagedon 02051986 newpass6 aa123456 02091987
        silverad electron rhtdtlrj 12011987 02101985 thunderb ghostrider blackout 02031986 02021988 123456qw bcfields
        southpar 02061985 mandarin kleopatra baseball1 tottenham dirtbike 1234567890a jackson5 02011987 slippery
        qweasd123 bluefish 02091986 1357924680 mollydog 02021986 ghblehjr starcraf vasilisa 01011983 elizaveta flexible
        farscape borussia yfcntymrf 02081984 scorpio1 fyutkbyf thedoors 02081987 02061986 123qq123 7ugd5hip2j asdfzxcv
        sunflower 01011982 gatorade 02021984 cameron1 02031984 corleone 02021985 webmaste chrysler 01020304 gabriel1
        987456321 a12345678 02081989 21031988 millwall dragonba stonecold 01011999 02011986 istanbul babylove porsche1
        02061989 bobdylan capslock teddybear 02041984 chevrolet gfhjkmgfhjkm coolness barbados knockers jayhawks
        9293709b13 eldorado soulmate andromed 02021983 kakashka yeahbaby netscape rainbow6 carlitos eastwood microphone
        monkey12 coldbeer fgtkmcby just4fun 1234567891 02021989 02041983 specialk piramida salasana mephisto violetta
        spencer1 02051983 smashing fastball q2w3e4r5 buddyboy 02031987 radiohea 1234asdf wildcard maxwell1 02011988
        02081986 pringles pinkfloyd insomnia 1a2s3d4f 02041982 darklord 02041988 02041987 magician telephon vsjasnel12
        iverson3 budapest yjdsqgfhjkm reckless 02011980 tiger123 01011979 maksimka kazantip 02101984 concorde
        qazwsxedc123 pharmacy abnormal jellybea islander jiggaman classics strawberry 02081985 scrabble hawaii50
        wg8e3wjf 123456qwe mazda626 rhjrjlbk 02071984 sweetnes masamune mariposa doomsday excalibur marcello 02021982
        dynamite master12 lollypop michael2 moonbeam 12365478 inspiron 02061988 02031985 snowboard forsaken katarina
        fullmoon sausages stanislav robotics green123 senators pumpkins windsurf vfitymrf nevermind woodland anastasiya
        02081982 presiden 02051982 vanguard rjhjktdf firewall 02011984 drummer1 02031982 fandango pumpkin1 02061980
        qwerty11 02061987 icehouse zxcvbnm123 pineapple harrypotter earnhard 01081989 02091983 mypassword zaqxswcde
        misfit99 02101987 1z2x3c4v broncos1 platypus 05051987 02041985 password12 radiohead 12051988 spongebo qwert12345
        abrakadabra dodgers1 02101989 vikings1 viktoriya 02071980 longjohn 02071987 slamdunk alessandro warrior1
        honolulu 134679852 johndeer windmill bergkamp 02091981 irishman zildjian 02041981 02061983 mudvayne freebird
        02091980 02091984 snowflak 01011900 nygiants playstat webhompas jefferso comanche monkeybo 02051987 angel123
        hounddog josephin 02071988 02041979 thisisit 05051985 pallmall fishbone genesis1 clippers 02051988 02081977
        22041987 bigblock whiteout 02061984 02031981 123456789s iloveyou2 bluebell 08031986 undertak chipmunk mazdarx7
        qwe123qwe kjrjvjnbd choochoo lovelife 02051984 02051989 15051981 anastasi 26061987 roadster cbr900rr good123654
        zachary1 02021979 testing1 highbury koroleva washingt 02061982 02091985 redbaron 11051987 james123 krasotka
        10011986 pipeline 7894561230 nascar24 01031988 tkbpfdtnf smirnoff 21031987 starligh summer99 13041988 fishhead
        06061986 scoobydoo 02021981 yogibear konstantin terminat ghbywtccf slowhand soccer12 cricket1 nostromo survivor
        cnfybckfd lemonade rainbow1 peaches1 johnson1 02041989 solitude catwoman bearcats username 01011978 wanderer
        02101986 stephen1 paradigm 02011989 fantasia borabora 74108520 12021988 01061990 gtnhjdbx 02071981 01011960
        mustang6 armstron 13041987 revolver 02021976 trouble1 volkswag 30051985 pool6123 marines1 03041991 02031979
        24061986 14061991 wildbill 45m2do5bs 21011989 cleopatr 11081989 coventry nirvana1 sidekick 20061988 02081983
        gbhfvblf 22021989 zanzibar highlander 23041987 02011981 tinkerbe 01121986 bluesman asdfgh01 18011987 nautilus
        everlast 01071986 ghbdtn123 02071983 02021973 12qw12qw nokia6233 ghjcnjgfhjkm penguin1 02091989 02071989
        asdqwe123 07071987 tokiohotel sonyericsson pantera1 palmtree 14111986 andyod22 10031988 01041985 handball
        19101987 matthias viewsoni 13031987 evangelion 24011985 123456123 sandrine 02081980 28041987 sprinter private1
        02101988 25081988 fearless 01091987 antelope 02021990 buddy123 19061987 fyfnjkbq 12121990 10071987 zxcasdqwe123
        fairlane honeybee soccer10 13061986 fantomas 17051988 10051987 20111986 gladiato 01011995 25800852 buffalo1
        cheshire 28021992 10101986 tomahawk 03041986 bismillah bigpoppa 01121988 08121986 14021985 margarit success1
        pasadena johngalt 02031980 coldplay 04041991 capricorn sweetness 10011990 09051945 elcamino trinitro voyager1
        02101983 carpente spartan1 12121985 22011988 callisto 02101981 vendetta david123 11061985 02031989 iloveyou1
        yamahar1 wildwood foxylady 02041980 27061988 leedsutd 30041986 11051990 dominion 01061986 enforcer derparol
        01041988 29071983 f00tball 25031987 21031990 remingto 01011994 29051989 20031987 02051980 04041988 vjqgfhjkm
        28011987 rfvfcenhf 16051989 25121987 16051987 08051990 20091991 carnival 05051989 papillon knuckles 28021990
        cutiepie ghjuhfvvf 22021986 freefall 02011983 17061988 baritone mischief hetfield dontknow sasha_007 18061990
        12031985 12031987 calimero 15011987 alexandre 02031977 08081988 21051991 02071978 money123 18091985 02031988
        cygnusx1 31011987 firefigh blowfish screamer 20051988 11121986 01031989 30031988 02041974 20091988 123456ru
        wp2003wp 15051990 kordell1 03031986 01011974 02071979 trucking 02051978 08031985 noname123 13121985 francisc
        02011982 22071986 02101979 obsidian 02051985 dfktynby 02051976 15101986 21101986 lakeside 14021986 strawber
        nokian73 25091987 16121987 02041975 17011987 slimshady whistler 10101990 22031984 15021985 01031985 26031988
        chris123 13021990 cassandr 02051973 25041988 paramedi eclipse1 07091990 darkangel 23021986 02051981 smackdow
        01021990 argentin moonligh capricor 24111989 21051988 22041988 johncena p@ssw0rd cherries lalakers dogpound
        universa eggplant fussball 19283746 captain1 vincent1 taekwondo perfect1 capetown budweiser sylveste 02051972
        cartman1 forever1 magellan hallo123 liverpool1 southpaw 02041978 notebook pufunga7782 goodgirl 02031978 challeng
        millenium sabrina1 camaross 02051977 bubba123 goldfing moonshin mandrake 1234zxcv bubbles1 marcius2 navigator
        fkbyjxrf earthlink opendoor stanley1 07071977 02081976 lakewood bluejays commande gateway2 01011976 ironmaiden
        destiny1 espresso toriamos ghhh47hj7649 therock1 p4ssw0rd shadow12 23skidoo roadrunner 12345qwer 02071975
        bordeaux 135798642 supernov beatles1 optimist vanessa1 nightwish natasha1 patches1 gsxr1000 hattrick enternow
        lenochka blue1234 02061977 02031975 waterboy htubcnhfwbz azertyui limewire houston1 stratfor 12345qwerty
        stigmata klondike hardball nineinch power123 vauxhall awesome1 funstuff krokodil rfntymrf cabernet sheepdog
        02041977 natalie1 montana1 sammy123 baltimor mash4077 cashmone vancouve ilikepie 02071976 123456789m hairball
        toonarmy q1234567 theforce maserati 02061976 sigmachi 02101976 riccardo rfhnjirf dolemite pathfind password9
        vqsablpzla modelsne myxworld rocknrol 02041976 futurama p0o9i8u7 smoothie archange vagabond billabon 22061941
        02031973 darkange skateboard evolutio morrowind plastics zaqwsxcde dominiqu nevermore 02021971 elisabet woodstoc
        02011975 minimoni q123456789 02091976 ncc74656 slimshad friendster austin31 dilbert1 blackbird jellybean
        01011971 carebear fireblad 02051975 02101977 02091975 snowbird lonesome baracuda 12345abc singapor herewego
        123456789d vipergts navyseal peterbil cucumber 123qwert 02091977 starwars1 sasha123 homemade bradley1 warhamme
        pinnacle flipflop lfitymrf acidburn jeepster vfntvfnbrf trinity1 cartoons rainyday alleycat 12345qaz mustang2
        apollo11 escalade rainbows daisydog fyutkjxtr adrenalin ambrosia stickman puppydog charisma nightmar 01011973
        laetitia 02091973 0192837465 luckyone goldeney dragonfl 02081974 02071971 melanie1 phialpha 10293847 bismarck
        7777777a 12348765 bynthytn alexander1 mallorca dragster favorite6 beethove normandy 1michael 02091971 nounours
        trumpet1 playball rocknroll guillaum cambridg pavement smackdown asdffdsa nthvbyfnjh benessere skipper1
        azertyuiop 123456789qwe computer1 sephiroth hallowee sparkles 1qazxsw23edc amethyst volleyba bettyboo 02061974
        02061972 mynameis jupiter1 junkmail sunshine1 longhair 02101973 gannibal segblue2 montecar charlie2 special1
        02041973 letsdoit password01 allison1 abcdefg1 notredam 789654123 liberty1 alcatraz frankie1 1qazzaq1 dfcbkbcf
        blacklab montrose supernova frederik justice1 motocros lockdown istheman pinetree 1234rewq rustydog tampabay
        babycake vampire1 streaming fidelity capitals dreamcas riffraff zxcvb123 pizzaman 1234567899 delpiero 1million
        wonderboy 02081973 sergbest 02051970 02031974 44332211 cashmoney 01011972 england1 123456as 123456qqq 02041972
        1234509876 sunlight 02061971 password99 popcorn1 lol12345 bigtruck revoluti feelgood gogators papamama trooper1
        tigercat usmarine lebowski madagaskar dragonballz italiano asdfg123 fisherman weare138 alpha123 piercing
        abracadabra macintos 02011971 crescent 18121812 rfhfvtkmrf paladin1 lunchbox riversid acapulco rhfcfdbwf
        mercury1 ronaldinho tennesse matchbox goodyear 02081970 hardwood highlife supersonic babybear laserjet natedogg
        sopranos cashflow ghjcnbnenrf ireland1 alterego claudia1 cantona7 ljxtymrf princesa blueberr bobmarley trinitron
        flyers88 nokia5800 qwerasdfzxcv mallrats goldeneye tamerlan backbone huskers1 1qw23er4 nineball stewart1
        flipper1 dortmund homepage coolhand greedisgood wonderfu 1111qqqq kcchiefs qweasdzxc123 jennifer1 asdasd123
        mustang5 macaroni gigabyte buster12 cyclones jurassic thebeast metallica1 nemrac58 love1234 02031970
        flvbybcnhfnjh feathers soccer11 marauder redheads aaaa1111 greywolf 123456789r reloaded rfhfylfi 22446688
        culinary 1234567aa phantom1 baberuth asdfqwer abc123456 outsider blackhawk valeriya gianluca 1q2q3q4q lavalamp
        pertinant nokia123 kristin1 monterey waterfal minnesot bukowski riverrat daredevi arizona1 kamikadze alex1234
        55bgates bellagio biohazard as123456 darthvad lilwayne nopassword 123456789987654321 14785236 nightowl beckham7
        trueblue nevermin copenhag gallaries dtkjcbgtl fishtank rosewood blackberry 1020304050 deerhunt surveyor
        pitchers 741258963 112233445566 jupiter2 softtail greenman z1x2c3v4b5 12345677 chewbacc nosferatu downhill
        dallas22 powerman qweasdzx princess1 mastermind care1839 atreides monkeyboy sealteam chopper1 winter99 myspace1
        topolino 01011950 happyman stonewal manunited qwerty13 buddydog start123 civilwar lucky123 tortoise waterski
        dtxyjcnm nightwin eldiablo 1357908642 badabing happines gizmodo1 pizzahut kikimora a1a2a3a4 2wsx3edc sprocket
        wdtnjxtr makeitso 789632145 nothing1 fishcake libertad fivestar mississi 123456789v kenneth1 bluestar ntktdbpjh
        paperino dragonfly lapochka mike1234 q1q2q3q4q5 maxpower raymond1 crazyman finalfantasy magic123 alessand
        ghbdtnrfrltkf augustin 99762000 nathanie 1z2x3c4v5b hondacbr mamochka fisherma bismilla spiderman1 kristen1
        friday13 qaz123wsx 0987654321q yaroslav websol76 hugoboss websolutions sephirot 918273645 timoxa94 mazda323
        sokolova skydiver 1234567890z guillerm india123 stoppedby nokia5530 123456789o whoknows rosebud1 sandman1
        honeybun topsecret pippen33 qw123456 lighthou nancy123 jeffrey1 losangeles leonidas a1b2c3d4e5 general1 bigbucks
        987654321a petrovich dirtydog allstate wachtwoord creepers georgia1 fujifilm lionheart catfight vodafone
        01011961 valleywa chickenwing101 qq123456 livewire livelife roosters ilya1234 architec blackops 1qaz2wsx3edc4rfv
        smirnova dragon01 a1s2d3f4g5 maurizio zxcvasdf graywolf 3rjs1la7qe macgyver flathead goofball anthony7 jessica2
        123581321 sarajevo rfgbnjirf batman12 victory1 saxophon lionhear hillside starlight 24681012 access99 molly123
        blackice quant4307s flashman tangerin escorpio password11 warcraft3 qazxsw123 ghbdtndctv lincoln1 firestorm
        ludacris milamber evangeli 0o9i8u7y sooners1 glendale scorpions groupd2013 freewill silverado vflfufcrfh
        cornhole aerosmit bionicle gfgfvfvf daniel12 favorite2 detroit1 shredder wednesda sparhawk firehawk funtimes
        159753456 timothy1 bajingan frenchie 1mustang truffles douglas1 lamborghini motocross skeeter1 scirocco fuzzball
        rushmore lacrimosa chevys10 madonna1 domenico atlanta1 service1 euphoria checkmat browndog jediknig allnight
        starlite close-up wrinkles snapshot dima1995 thetruth dutchman passcode justinbieber 12349876 12345687 pennywis
        zaq12345 wellingt madala11 bettyboop gregory1 hawthorn bernhard dominika hunter12 vfhbyjxrf lockerroom 1password
        futyn007 daydream 11001001 dragon123 friends1 rocky123 mannheim manager1 horseman komputer pictuers nokia5130
        nastenka toulouse fullback dreamcast casablanca salvator 963258741 vivitron cobra427 armageddon myfriend
        qwedsazxc illmatic capoeira freedom2 shinigami fhvfutljy nocturne churchil thumbnils tailgate neworder earthlin
        basketbal aligator mojojojo welcome2 papabear sfgiants billabong monolith ticktock japanees admin123 alabama1
        fantasy1 woodstock fireman1 woodwork newstart panorama daedalus fruitbat violator 12345123 undertow kfcnjxrf
        stinger1 landrove anakonda rfhlbyfk fordtruc archangel greentea morticia evanescence 3edc4rfv longshot windows1
        starbucks prelude1 homebrew letmeinn fordf350 michele1 27731828 wingzero qawsedrftg alfarome fantasti 1a2s3d4f5g
        natascha kennwort q1q2q3q4 qazwsxedc1 diamante comicbookdb motdepasse braveheart kickflip arcangel superbow
        barbara1 vfpfafrf sublime1 buckwhea redstorm paramore imtheman milkyway newproject2004 rammstei j3qq4h7h2v
        lambchop anthony2 gfhjkm12 dreamer1 cowboyup maximus1 manhatta 1213141516 yfnfitymrf 123456789p trousers
        fishface ibilltes maximilian mypasswo marajade morozova enter123 12345asd princeto 1234kekc duracell sevenof9
        corvet07 rdfhnbhf tiberian needforspeed dropkick kevin123 a123456a vfhnsirf fireblade marishka gorillaz
        revival47 ironman1 ramstein nemesis1 pennstat shevchenko detectiv blessed1 bullwink asmodeus rapunzel maxpayne
        montecarlo hernande 123456789l bravehea 12locked pegasus1 saltydog everques ytngfhjkz 123456ab qwerty78 shotokan
        seahorse everton1 bulldawg monkeyman losangel mastermi zxcvb12345 geibcnbr ladybird rktjgfnhf ghjdthrf optiplex
        santacru ignatius master123 newpass1 heather2 snoopdogg blondinka honeydew 890098890 goldrush avalanche snowman1
        1a2b3c4d5e nokia5230 12340987 dragrace 22334455 12345612 123456qq capital1 sammydog hulkster 13245768 omegared
        l58jkdjp! 123mudar samadams charlie123 123456789123 sunderla 123qweas kazanova monkey123 fktyeirf bluenose
        asd12345 1a2a3a4a trailers beachbum bubblegum mackenzi hershey1 bugsbunn newport1 thething solnishko buckeye1
        ethernet rb26dett choppers anna2614 callofduty rt6ytere timelord allblack tequiero snowflake firestar fred1234
        ghjnjnbg milhouse invictus yourmama pontiac1 verygood adventur austin316 hogwarts navigato desperado eightbal
        74227422 aerosmith wingchun sanity72 partizan utahjazz submarin heinlein control1 costaric triplets teacher1
        evergree qwerty99 pyramid1 lebron23 blackbelt cynthia1 russell1 frank123 songbird 43046721 girfriend jakester
        falstaff patrizia qwaszx12 goodlife 12345678900 russian7 gobigred deborah1 volkswagen alkaline 1letmein cannonda
        cvbhyjdf germany1 raindrop elvis123 citibank birthday4 nonmembe parsifal rickster coolgirl motorcyc tenerife
        fordf250 fynjybyf wapapapa 0000000000o antigone novikova peregrin spartan117 tooltime tonyhawk laracroft
        mahalkita 18273645 terriers littlema glennwei 12345654321 southside antonio1 bobmarle astonvil account1
        maurolarastefy barracud pathfinder asdfg12345 rerfhtre grandpri colossus homer123 watermelon shadow01 lasttime
        pyramids galeries astalavista unicorn1 qaz12345 zxcvvcxz duckhunt element1 marketin elbereth blaster1 yamahar6
        lindsay1 seattle1 lagwagon misiaczek smokedog lakers24 ironhors volkodav summertime takamine hardwork macintosh
        passthie flowers1 music123 phaedrus gulliver domainlock2005 express1 youandme dhjnvytyjub testibil 987654321q
        pokemon123 thesaint 11122233 x72jhhu3z theclash guesswho gymnastic cxfcnkbdfz lemmings r4e3w2q1 schnuffi
        basebal1 goodfell hermione peaceout davidoff yesterda headless yorktown tryagain 12s3t4p55 mustang9 dangerou
        packard1 excellen jbond007 alligator monkeyma 123456asd cbr600rr jason123 flipmode sonyvaio luscious envision
        147896321 loglatin payton34 123456789k chipper1 uhbujhbq rsalinas vfylfhby longhorns everquest !qaz2wsx snakeman
        p455w0rd mysecret phoenix2 october1 meandyou lancaste polaroid edinburg golfclub bookcase worldcup dkflbvbhjdbx
        17171717aa letsplay zolushka 67camaro barracuda romanova algernon amoremio william2 hd764nw5d7e1vb1 deutschland
        robinhood machoman pandora1 tomservo nadezhda saab9000 f15eagle 12qwerty baywatch january1 78963214 zz8807zpl
        sidewind soccer13 onepiece bruno123 mustang8 blackbel hatteras asdfjkl; rebbyt34 vegas123 aleksander ijrjkflrf
        lotus123 freiheit drjynfrnt waterpolo cezer121 happydog satellit qazwsxedcrfvtgb patterso hawkeye1 5tgb6yhn
        crocodil splatter buratino dragon11 123qwe456 trucker1 1hxboqg2 cheyanne sebastie maddison 4rfv3edc darthvader
        lifeisgood gooseman 123masha boogaloo stamford francis1 1basebal emmitt22 123hfjdk147 caseydog amarillo monkey11
        a1a2a3a4a5 vfnbkmlf gotigers lindsey1 dragon13 qazxsw12 hitman47 eleven11 bloopers avangard ginscoot masterkey
        rootedit hannover 8phrowz622 angelito badkarma glenwood summer12 fastcars arabella c3por2d2 geraldin loveyou2
        5hsu75kpot alexandru teamwork deepblue goodison r2d2c3p0 topsecre mandolin brother1 failsafe open1234 priscill
        trojans1 calamity ufhvjybz hawkwind luv2epus aquafina pepsi123 passwerd 01478520 headshot password3 gbgbcmrf
        nbuhtyjr fabienne chrissy1 loveme89 boris123 novifarm qwerty777 giveitup 123456abc swallows moonshine princessa
        holiday1 miranda1 jamaica1 badnaamhere 085tzzqi universi nevermor qwerty77 0102030405 seraphim black123 ducati99
        dkflbvbhjdyf 44magnum samantha1 ultraman usmc0311 monique1 alphaman greyhoun carefree 063dyjuy federica hilfiger
        100200300 lexingky akatsuki johndeere mattingl redwing1 moonstar tanechka 34523452 carthage bondarenko
        mostwanted steve123 prospero barakuda broodwar flintsto collecti 1qaz!qaz chemistr andrew12 ytrhjvfyn mobbdeep
        transfor westham1 daffodil warehous polarbea anatoliy cableguy aqualung jimmy123 luckyman kingsize golfing1
        marigold saopaulo 3216732167 year2005 joseluis lalaland indiana1 buffalos loveyou1 anteater redshift summerti
        ricochet schastie suikoden vladvlad blackie1 gfhjkzytn foxhound ghjvtntq bluedevi summer01 licorice thorsten
        strange1 vergeten 12345432 8phrowz624 stampede sailfish 74185296 allstars master01 bayliner michael3 pentium4
        mapet123456 phillip1 32165498 opensesame charles2 mustang0 cristiano getsdown wasdwasd redhead1 13572468
        ducksoup omsairam asterios searcher tashkent milenium illumina buster01 goldfinger 33rjhjds thinkpad magnavox
        rooster1 touchdow limpbizkit rhfcfdxbr baphomet afrodita matthew2 theworld thunderbird forklift creatine
        skyline1 nolimits billiard westlife coolbean october2 ilya1992 pioneer1 123321456 essendon celticfc chillout
        thelast1 metalgear ronaldo7 vicecity postov1000 charlie3 oldschool legoland antoshka counterstrike mustang3
        qwertzui tigger12 rerehepf nokia3250 solidsnake rockroll titanic1 prashant katharin michael9 mymother pennstate
        48151623 fightclub showboat mammamia dustydog pleaseme junkyard galadriel charlies 2wsxzaq1 crimson1 behemoth
        master11 joshua12 mousepad 123321qwe metalica rerfhfxf powerade aaaaaaa1 kovalenko 151nxjmt shadow11 zcxfcnkbdf
        gy3yt2rgls 159753123 bladerunner kitty123 orlando1 skateboa red12345 destroye snoogans juancarlo gfhfljrc
        passfind oscar123 derrick1 viper123 nighthaw 13576479 chocolate1 7hrdnw23 jediknight argonaut goodstuf wisconsi
        abigail1 lucky777 valdepen ghjnjrjk zaq1xsw2cde3 letmein22 codeblue nokian70 footbal1 smuggles krasnodar
        ladygaga venezuel kochamcie trustn01 davecole nosferat bluebear tarantul asd123asd theflash 1footbal lucas123
        sampson1 dragon99 metropol psychnau vthctltc firework wildcat1 ghtktcnm besiktas minotaur orange12 favorite7
        agnieszka 1a2a3a4a5a scruffy1 redbeard vfvfvskfhfve sandydog network1 favorite8 mustangg mavericks angelofwar
        brianna1 characte telecast repytwjdf thematrix hammerhe margosha ghjcnjghjcnj mnbvcxz1 rocketman flhtyfkby
        pi314159 televizor gtkmvtym dreamers strannik steelhea commodor brian123 ibilljpf thomas12 ghbrjkbcn q1234567890
        hibernia 68camaro 1234567u halfmoon ranchero birthday1 henderso boscoe01 simpson1 loredana iloveher fkmnthyfnbdf
        lostsoul spartacu bigstick milashka champagn papichul hrvatska hondacivic moneybag 246813579 ytyfdbcnm darkmoon
        tristan1 thematri qweqwe123 multisyn dagestan satriani rocketma pendrago bumblebe badlands galactic emachines
        frontera daisymae welcome123 tigger01 rockydog brasilia southsid ghbdtn12 ctdfcnjgjkm gremlins michael8
        123456789abc classic1 malcolm1 funnyman 123456789n admin18533362 biggdogg internet1 1jennife evgeniya pinewood
        justin12 89600506779 notredame million1 funhouse angeleye winter12 sweethea imperium salamandra stroller
        vittorio %%passwo rjyatnrf shadow13 radiance toshiba1 smallville landscap exploite damage11 dzxtckfd trader12
        dragon88 23176djivanfros artofwar 123456789qwerty sobriety karamelka roberto1 lizaveta 08154711 bluenote
        katrina1 bigfoot1 nonrev67 qqqq1111 fairview voltaire qazxswedcvfr bosstone danielit mounta1n bluegill warcraft1
        ilovemyself thetachi goodtimes blacksun chewbacca galatasaray centrino hendrix1 vlad1996 sarah123 nicholas1
        123456zxc bugsbunny dominic1 freetime internat 159753852 mazinger laracrof repytwjd water123 wallace1
        qwertyasdfgh goldmine 777888999 holeinon blueline windstar newworld catfish1 flapjack robinhoo cyberonline
        gemstone indahous patrick2 qwerfdsa kingrich piramide college1 connect1 astroboy cvzefh1gkc ginger12 2wsxcde3
        qwertasdfg peter123 1qay2wsx camaroz2 trashman bonefish system32 azsxdcfvgb peterose temp1234 blastoff 12233445
        brentfor pheasant thunders nokia5300 blingbling richard2 1diamond sensatio maverick1 clinton1 michael7 dragons1
        sunrise1 pizzapie 987412365 oceans11 748159263 palmetto 4r3e2w1q banderas silver12 xboxlive sylvania littlebi
        valdemar isacs155 prettygirl newstyle skypilot sailormoon country1 jedimast darkknight alfaromeo ghostman
        fnkfynblf vatoloco homebase 1111111111zz odysseus edwardss xsw21qaz firestor indians1 babycakes rhapsody
        slayer66 1q2q3q4q5q mysterio thirdeye dima1996 darkwing jeronimo ronaldo9 peaches2 fellowes taylor12 epaulson
        makemoney oc247ngucz kochanie 3edcvfr4 1234567z xthtgfirf sportste integra1 thejoker tagheuer nikita123 muenchen
        annemari ironmaid george12 westcoast primetim panchito tooshort qwerty22 medicina w1w2w3w4 wargames andreas1
        scooters slipknot1 leiceste chevyman psychnaut1 melbourn metalman yjdsqujl caitlin1 nikitina desperad aurelius
        john1234 slimed123 bretagne hotwheel roodypoo save13tx nokia3310 scott123 olivetti sysadmin hondacrx grandprix
        1223334444 police22 toronto1 yardbird truckers scimitar pescator 12332112 qazxswed morkovka daniela1 789123456
        123456789w nikolaus 1111aaaa pervasive gfhnbpfy skeletor whitney1 delorean ishikawa morrisse qwer4321 123123qwe
        trafford sk84life 326159487 159875321 arrowhea qwaszx123 zaxscdvf catlover 13579246 vermont1 chevyz71 stargaze
        parolparol kelly123 goodnews astonvilla luckyboy rocheste trigger1 pepsicola miroslav 96385274 svetlanka
        lbfyjxrf 123123123q ronaldo1 pittbull gfhkfvtyn ghblehrb millerli halflife2 dragon22 mulberry morrigan arhangel
        emachine bulldog2 redtruck casablan pepper12 cachorro hemicuda sonnyboy smarties kurosaki taekwond konfetka
        bennett1 jackson2 octavian feyenoord muaythai fktrcfylhjdyf fktrcfylhjdbx 89015173454 qwerty00 12344321q
        evenflow whiskey1 anton123 password4 yorkshir direwolf vaz21099 sorcerer comicbook kamehame denis123 2112rush
        geneviev matthew7 ironhead ashley12 stealth1 guitarra bernard1 frankfur slacking asdasdas airforce1 123456789qaz
        pacifica toosweet 11121314 1234qwerty energize hansolo1 larry123 cnjvfnjkju antonius fcbayern bellevue charlie9
        izabella malishka rotterda 21125150 travelle hotpants garrett1 seven777 thomas01 chevy454 azerty123 finalfan
        patricio northsta stallone cornholi hoopster sepultura grasshop babygurl proverbs reddragon tigerwoo superdup
        kakaroto 123qaz123 123456qaz maria123 ghbrjkmyj makemone sammyboy 380zliki theraven elvira26 tiramisu shannara
        papercut johnmish mustang7 bagpipes natashka 243462536 sandy123 guderian newlife1 razorbac piazza31 puravida
        robert12 transam1 bubbadog steelers1 eightball superboy 4rfv5tgb samurai1 colleen1 vfrcbvec q1w2e3r4t 19844891
        mickeymouse watermel soccer15 ladybug1 abulafia tigerlil takehana bootneck bobby123 trustnoone phantasm
        132465798 t34vfrc1991 grimlock longbeac shadow123 jonathan1 cjrjkjdf westport 541233432442 chicago2 toughguy
        iskander whatisit scooter2 fgjrfkbgcbc adelphia vjhrjdrf adrenali jemoeder freedom7 firetruc gateways kusanagi
        centurion stalker1 ilovepor redsox04 kirill123 hammers1 yingyang 4904s677075 patriot1 patrick9 redbirds makarova
        epiphone chelseafc blackrose primrose scooby12 1william defiant1 stairway salamand cupcake1 password0 007james
        multisync harley01 tequila1 q8zo8wzq hunter01 temporar mrbrownxx sycamore ganymede 1111122222 london12 diogenes
        135797531 blackber falcon16 darkjedi vfhvtkfl freestyl kukuruza marbella 44445555 bocephus hollydog gonefish
        amanda18 rfpfynbg harry123 tigerman cdtnjxrf marillio scribble hardhead troopers dragon76 bassfish kasparov
        19933991 eyecandy ukflbjkec halfpint 12345trewq bulldogg jesucrist flipside packers4 silverfo knowledg westcoas
        minidisc martini1 alastair rasengan superbee getalife memyself 0147896325 12345678900987654321 soccer14 realdeal
        bella123 celtics1 peterbilt ghbdtnbrb xcountry batman99 blablabl alhambra siemens1 dashadasha wildrose
        bestfriend 1234rmvb sebastien chester2 winston2 07831505 qazxsw21 belochka password1234 daniel123 qpwoeiruty
        ferrari3 britneys chilidog 08522580 bluerose ricardo1 013cpfza ghbdtnghbdtn 3stooges gearhead greenbud toolshed
        ibill123 freelove weronika valerie1 razdvatri greenwoo rfhjkbyf aqswdefr sonechka steeler1 nietzsch biscuit1
        goodfood jledfyxbr sideshow fredderf 12347890 12345671 fylhtqrf letitrid cthuttdyf bluearmy dollface babygirl1
        blacksta lexingto kukushka free4all 2w3e4r5t hoopstar dad2ownu qwe123asd hjvfyjdf gibsonsg duckling firefighter
        powerboo powermac 11924704 25251325 sarasota berliner guatemal seagulls iloveyou! chicken2 qwerty21 010203040506
        backlash teiubesc vonnegut gtxtymrf manunite lost4815162342 britney1 boondock doma77ns anuradha rottweil
        fightclu birthday21 reviewpa aassddff lakers32 melissa2 jiujitsu 12345zxcvb nokia5310 happydays 1patrick
        newports broncos7 harrypot pepsione usmc1775 countach landrover drumline a7777777 smile123 quality1
        superson elaine22 mrbrownx rockport jordan12 kfvgjxrf hockey12 seagrave chelsea2 marissa1 billy123 homersim
        amanda12
        """
}
