"""The words that orders to an agent are made of, by kind, in languages that are written in Latin.

A table of data: `signs.py` says which kinds, in which order and how near each other, are a sign.
English, German, French, Spanish, Portuguese, Italian, Dutch, Polish and Turkish stand one after the
other, in lower case and without accents, as `plain.read` leaves them. A word may be of several
kinds. Only forms in which orders are given are listed: `ignore`, not `ignores`. Several words that
are one are in `phrases.py`, words in other alphabets in `alphabets.py`.
"""

WORDS: dict[str, str] = {
    "drop": """
        ignore disregard forget override bypass discard abandon dismiss neglect overlook
        scrap erase wipe purge shelve ditch unlearn suspend omit reject nullify flout defy
        violate disobey drop""",
    "earlier": """
        previous prior above earlier preceding former existing original initial foregoing
        past starting beginning top vorherigen vorherige vorherigem vorigen bisherigen
        bisherige obigen obige fruheren vorangegangenen bisher vorher zuvor precedentes
        precedente precedents precedent anterieures anterieurs dessus auparavant anteriores
        anterior previas previos previa previo antes acima precedenti anteriori finora prima
        sopra vorige eerdere voorgaande bovenstaande hiervoor eerder poprzednie poprzednich
        wczesniejsze wczesniejszych wczesniejszym wczesniej powyzsze powyzszych dotychczasowe
        dotychczasowych onceki once yukaridaki precede outset origine oorspronkelijke
        ursprunglichen oben altes originales originais originali precedenza pierwotne before
        initially originally formerly plus haut previamente precedentemente
        voorafgaande vroegere eerste oorspronkelijk dotad pierwsze evvelki onceden
        altere alteren ersten anfanglichen avant avants davor vooraf przedtem""",
    "orders": """
        instruction instructions direction directions directive directives prompt prompts
        guideline guidelines guidance guardrail guardrails rule rules constraints orders
        commands policies safeguards vorschriften richtlinien aanwijzingen wytyczne
        wytycznych wskazowki yonergeleri recommandations normas linee anweisung anweisungen
        regeln vorgaben befehle befehlen instruktionen anordnungen consigne consignes regles
        ordres instrucciones instruccion ordenes reglas indicaciones directrices instrucoes
        instrucao regras ordens diretrizes istruzioni regole ordini indicazioni direttive
        instructies regels opdrachten richtlijnen bevelen instrukcje instrukcji polecenia
        polecen poleceniach zasady zasad instrukcjach talimat talimatlar talimatlari
        talimatlara talimatlarini kurallari kurallara kurallar komutlari komutlara emirleri
        brief briefing mandate orientacoes direttiva principi regulations regulation
        commandments programming playbook instructie systeemprompt systemprompt systemprompts
        befehl auftrage auftrag regel weisungen weisung prescriptions indications consigna
        consignas mandatos comandos pautas orientacao comandi comando prescrizioni ordine
        aanwijzing voorschriften bevel polecenie reguly regul rozkazy poleceniami
        instrukcjami talimatlarin yonergeler kurallarin emirler emirlere komutlar istruzione
        regola regra ordem regla orden regle ordre vorgabe opdracht instrukcja zasada kural
        emir talimati talimatin kurali komutu emri""",
    "all": """
        all any every everything anything whatever each entire alle alles samtliche jede
        jegliche toutes tous tout toute todo todas todos toda tutte tutti tutto tudo ogni
        wszystkie wszystkich wszystko wszystkim tum butun""",
    "told": """
        told instructed taught informed asked gesagt aufgetragen mitgeteilt dit dites dijeron
        dicho indicaron dito disseram disserem detto gezegd verteld powiedziano soylenen
        soyledikleri demande demandes dicha pedido pediram chiesto richiesto gevraagd
        befohlen angewiesen geheissen ordonne ordenado ordinato bevolen kazano polecono
        istenen""",
    "speech": """
        message messages context conversation request requests training programming policy
        policies input inputs chat dialogue protocol protocols text content nachricht
        nachrichten kontext contexte mensajes mensaje contexto mensagens messaggi messaggio
        contesto berichten wiadomosci mesajlari""",
    "against": "contradict contradicts contradicting conflict conflicts conflicting widerspricht",
    "your": """
        your youre dein deine deinen deiner tes ton tu tus sua suas seu seus tuo tua tue tuoi
        jouw je twoje twoj twoich senin votre vos""",
    "person": "person people human someone boss",
    "hear": "hear know learn notice",
    "system": """
        system systems operator sistema systeme systemowe systemowych sistem systeem
        system-prompt systemprompt safety hidden seguranca sicherheit securite seguridad
        sicurezza veiligheid bezpieczenstwa guvenlik sicherheitsregel""",
    "follow": """
        follow following obey obeying heed adhere comply complying apply befolge befolgen
        beachte beachten befolgt halte halt folge suis suivez suivre respecte respectez obeis
        tiens tenez sigas siga sigue seguir sigan obedezcas obedece obedezca respetes obedeca
        respeite cumpra seguire segui seguite obbedisci rispettare rispetta volg volgt houd
        gehoorzaam przestrzegaj stosuj wykonuj sluchaj uy uyun listen listening hear escucha
        escuches escute ouca ascolta ascoltare ecoute ecoutez luister dinle hor hore gehorche
        obeisse hagas obedecer respetar cumplir obbedire obeir respecter gehorchen
        gehoorzamen volgen przestrzegac sluchac stosowac cumprir respeitar cumple segue""",
    "not": """
        not dont never no nothing none cannot without stop nobody nicht nichts nie niemals
        kein keine keinem ne n pas jamais rien aucun aucune nunca nada ningun nao nem non mai
        nulla niente niet niets geen nooit nic nigdy avoid refrain keinesfalls keineswegs
        keinesfall aucunement tampoco jamas neppure nemmeno zeker wcale sakin asla""",
    "void": """
        void obsolete lifted cancelled canceled revoked suspended superseded invalid expired
        nullified rescinded decoy fake bogus moot irrelevant removed disabled discarded
        withdrawn aufgehoben ungultig hinfallig invalides caduques invalidas anuladas nulas
        annullate ongeldig niewazne gecersiz null nonexistent existent cancel""",
    "wrong": "wrong false incorrect outdated mistaken mistake error",
    "this": """
        this these following below here folgende folgenden suivante suivantes siguiente
        siguientes seguinte seguintes seguente seguenti volgende nastepujace asagidaki diese
        dieser dieses diesen diesem dies ce cette ces cet esta este estas estos esto isto
        isso questa questo queste questi deze dit dat tym tego tej ten bu buna bunu bunlar""",
    "note": """
        note notes memory file document entry text message paragraph memo page line section
        content notiz datei dokument texto documento nota archivo testo notitie tekst bestand
        fichier arquivo notatka notu notuna metne""",
    "only": """
        only solely exclusively alone instead nur ausschliesslich seulement uniquement solo
        solamente apenas somente soltanto alleen slechts enkel tylko wylacznie sadece
        yalnizca""",
    "supersede": """
        supersede supersedes superseding outweighs outweigh override overrides replace
        replaces outrank outranks overrule overrules wins prevails prevail win""",
    "new": "new real actual true correct updated revised neue neuen nuevas nouvelles novas nuove",
    "task": "task goal objective mission purpose job",
    "is": "is are be was were bist ist es eres est sei jest",
    "you": "you du sie tu vous usted voce vos ti jij u ty sen toi dich jou ciebie",
    "now": """
        now henceforth jetzt nunmehr desormais maintenant ahora agora ora adesso nu voortaan
        teraz odtad artik simdi immediately sofort""",
    "act": """
        act behave pretend imagine play become roleplay simulate agis comporte actua
        comportate finge aja agisci comportati gedraag zachowuj davran""",
    "free": """
        unrestricted unfiltered uncensored jailbroken limitless unbound amoral unlocked
        unethical lawless uneingeschrankter""",
    "without": """
        without no ohne sans sin sem senza zonder bez free devoid lacking keine olmadan
        aucune aucun""",
    "limit": """
        restriction restrictions limit limits limitations filter filters policy policies
        guidelines guardrails rules constraints boundaries einschrankung einschrankungen
        beschrankungen grenzen restricciones limites restricoes limitacoes restrizioni limiti
        beperkingen ograniczen kisitlama restrizione filtros filtres filtri""",
    "dan": "dan stan dude",
    "should": "must should shall",
    "leave": "leave keep",
    "out": "out off",
    "agent": """
        assistant assistants agent agents ai ais llm llms model models bot claude chatgpt gpt
        copilot codex gemini cursor assistent assistenten assistente assistenti asistente
        asistentes agente agentes agenten asystent asistan ki ia modelo modele modello
        virtual copilota asystenta asystenci agenci ajan yapay""",
    "mode": "mode modus modo",
    "must": """
        must should shall will need have required please musst muss mussen sollst soll dois
        doit devez doivent debes debe deben deve devem devi moet moeten musisz musi""",
    "tell": """
        tell inform notify alert warn mention reveal disclose report say admit explain bring
        mentioning telling informing notifying revealing""",
    "say": """
        say answer reply respond claim report state tell confirm pretend antworte sag sage
        mark label flag record""",
    "tell_abroad": """
        sag sage sagen erzahl erzahle erwahne erwahnen informiere informieren verrate
        verraten melde zeige dis dites informe informez previens prevenez parle parlez
        mentionne montre avertis avertir digas diga decir informes informar avises avisar
        menciones menciona reveles muestres conte contar avise mencione revele mostre dire
        dica informare informa rivelare menzionare avvisare dirlo mostrare vertel zeg meld
        informeer verklap mow mowcie informuj wspominaj powiadamiaj ujawniaj mowic informier
        benachrichtige benachrichtigen weise erklare offenbare signale signalez revelez
        evoque evoquez avisez reveler comuniques comunica comentes cuentes cuenta comente
        comunique avverti avvertire riferire riferisci parlarne parlare svelare comunicare
        dirglielo onthul laat vermeld waarschuw bespreek zdradzaj powiedz wspomnij wspominac
        poinformuj ujawnij""",
    "tell_not": """
        soyleme soylemeyin bahsetme bahsetmeyin bildirme bildirmeyin gosterme anlatma
        soylemeyiniz bahsetmeyiniz aciklama haber bildirmeyiniz gostermeyin""",
    "user": """
        user human developer operator programmer nutzer benutzer anwender entwickler nutzern
        benutzers nutzers utilisateur usuario utilizador utente gebruiker uzytkownik
        uzytkownika uzytkownikowi uzytkownikiem kullanici kullaniciya kullanicidan
        kullaniciyi kullanicinin whoever developers desarrollador programador desenvolvedor
        sviluppatore ontwikkelaar programista programisty gelistirici gelistiriciye
        gelistiriciden developpeur anwenders anwendern entwicklers nutzerin benutzerin
        usuaria utilisatrice""",
    "people": """
        maintainer maintainers reviewer reviewers team owner owners anyone anybody someone
        colleagues admins administrators auditors colleague coworkers manager""",
    "whether": "to whether which if why how when where who unless until ob welche si se",
    "hide": "hide conceal withhold",
    "from": "from before vor",
    "by": "by typed written sent",
    "secret": "secret hidden confidential unnoticed geheim",
    "know": """
        know knows learn learns notice notices realise realize realizes discover discovers
        find suspect suspects noticing knowing erfahren merkt bemerkt""",
    "need": "need needs have required",
    "silent": """
        silently quietly secretly covertly discreetly stealthily heimlich unbemerkt
        discretement secretement silencieusement silenciosamente secretamente segretamente
        stiekem potajemnie gizlice sessizce""",
    "summary": "summary summaries answer reply replies report response chat conversation",
    "omit": "omit exclude withhold strip",
    "send": """
        send post upload forward transmit submit email mail exfiltrate leak ship deliver
        relay transfer export beam""",
    "put": """
        put include copy paste append add embed insert attach share publish push write place
        dump pipe encode commit create""",
    "send_abroad": """
        sende schick schicke sendet schickt ubermittle lade hochladen poste verschicke envoie
        envoyez envoyer transmets transmettez publie televerse envia envie enviar envialas
        envialos envialo enviala sube suba subelas manda mandalas mande reenvia publica
        publicalas carregue invia inviale inviali inviate inviare carica caricate spedisci
        stuur verstuur verzend wyslij przeslij wysylaj wgraj gonder gonderin yukle yukleyin
        ubertrage ubermittele leite weiter kopiere veroffentliche expedie transmettre publiez
        televersez exfiltre copie comparte transmite transfiere remite filtra copia
        compartilhe transmita transfira encaminhe trasmetti trasferisci inoltra pubblica
        condividi caricare doorsturen kopieer deel publiceer przekaz opublikuj skopiuj
        udostepnij ilet aktar paylas kopyala""",
    "sensitive": """
        secret secrets token tokens password passwords passphrase credential credentials keys
        envvars env netrc id_rsa dotenv history passworter passwort passworte zugangsdaten
        schlussel umgebungsvariablen geheimnisse cles identifiants jetons jeton contrasenas
        contrasena claves credenciales secretos senhas senha chaves credenciais segredos
        chiavi credenziali segreti wachtwoorden wachtwoord sleutels geheimen hasla hasel
        klucze sekrety parolalari parolalar sifreleri anahtarlari parola cookies cookie
        wallet seed mnemonic kennworter kennwort anmeldedaten privatschluessel codes cle clef
        clefs llave llaves chave certificado certificati chiave sleutel inloggegevens tajne
        tajnych klucz sifre sifreler anahtar jetonlari anahtarini anahtarlarini sifresini
        sifrelerini parolasini parolalarini passwortern schlusseln contrasenya motdepasse""",
    "data": """
        contents content conversation history table database directory customer customers
        source transcript context files file repository inhalt contenu contenido conteudo
        contenuto inhoud zawartosc""",
    "sink": """
        webhook pastebin gist gists ngrok attacker query url urls issue comment public
        endpoint branch pr""",
    "run": """
        run execute eval install perform launch invoke deploy delete push download fetch
        fuhre ausfuhren installiere starte losche executez executer lance lancez installe
        installez supprime ejecuta ejecute ejecutar instala instale borra elimina executar
        rode apague esegui eseguite eseguire installa cancella voer installeer uitvoeren
        verwijder wykonaj uruchom zainstaluj usun calistir calistirin kur yukle sil wipe
        format overwrite disable exfiltrate fuhren starten installieren ausfuhre demarre
        telecharge supprimez corre corra descarga descargue baixe scarica avvia lancia draai
        start pobierz odpal skasuj indir calistiriniz""",
    "command": """
        command commands script shell befehl befehle commande commandes comando comandos
        comandi opdracht polecenie komut komutu komutlari paquet paquete pacchetto pakket""",
    "ask": """
        ask asking asks wait waiting confirm confirming prompt prompting check telling
        informing notifying alerting warning consulting""",
    "consent": """
        confirmation confirmations approval permission permissions consent prompts confirming""",
    "disable": """
        disable disables skip bypass remove suppress circumvent deactivate deaktiviere umgehe
        entferne desactive desactivez contourne desactiva desative desativa disattiva
        disabilita schakel wylacz pomijaj disabling skipping omit silence mute deaktivieren
        abschalten ausschalten neutralise desactiven anula desabilite desligue disabilitare
        disattivare elimina uitschakelen omzeil wylaczyc usun kapat devre""",
    "guard": """
        sandbox safeguards safety scanner scanners protection protections permission
        permissions confirmations confirmation verification authentication signing checks
        review reviews sicherheitsprufungen sicherheitsprufung prufungen verifications
        securite seguridad comprobaciones seguranca verificacoes sicurezza controlli
        controles beveiliging veiligheidscontroles zabezpieczenia scans scan""",
    "pass": """
        lgtm fixed pass passed passes passing green clean approved ok fine success successful
        secure grun findings problems issues vulnerabilities reviewed verified""",
    "regardless": "regardless whatever although though anyway irrespective",
    "approve": "approve accept merge",
    "review": "review reviewing reviews looking reading checking inspecting inspection diff",
    "power": """
        maintainer maintainers administrator administrators admin owner owners security cto
        ceo cio boss headquarters management anthropic openai google microsoft ciso
        compliance team operator""",
    "vendor": "anthropic openai deepmind",
    "approved": """
        approved authorised authorized authorise authorize authorises authorizes granted
        grants consented preapproved cleared verified permits permission aprobado autorizado
        genehmigt autorise approuve aprovado approvato autorizzato signed whitelisted
        allowlisted agreed approval clearance authorisation authorization blanket""",
    "when": """
        when whenever if once every each time upon next wenn sobald quand chaque cuando
        siempre quando als gdy case hearing""",
    "asks": """
        asks ask asked mentions says requests wants queries fragt demande pregunta pergunta
        chiede vraagt""",
    "someone": """
        someone anyone anybody somebody user human developer customer people reader whoever""",
    "recommend": """
        recommend suggest approve say reply claim upload download pretend deny send insist
        respond insert link promote push sell advertise praise""",
    "save": """
        add append write save store copy put insert remember keep record memorize memorise
        apply obey follow repeat carry""",
    "own": "memory claude agents cursorrules instructions prompt rules",
    "treat": "treat consider regard handle behandle traite trata",
    "lgtm": "lgtm",
    "hint": "hint hints trace traces sign evidence mention word",
    "end": "end ends appear appears go goes land show prints printed print",
    "log": "log logs report summary answer reply chat comment issue commit output description",
    "cron": "cron crontab",
    "know_abroad": """
        erfahren wissen merken mitbekommen savoir sache apprendre apprenne sepa entere
        enteren enterarse saber saiba perceba sapere saperlo sappia accorga weten merkt
        wiedziec dowiedziec bilmesin bilmemeli sepan saibam sappiano bilsin ogrenmesin dowie
        wie""",
    "forever": """
        future permanently always forever sessions conversations obey trust repeat
        confirmation obeyed trusted chats question""",
    "future": "future every each all",
    "sessions": """
        sessions session conversations conversation chats requests request replies responses
        answers""",
    "self": "i im ich je yo io ik",
    "wants": """
        wants want requires demands orders ordered instructs instructed expects asked
        directed""",
    "refuse": "refuse refuses decline declines question doubt challenge object resist contest",
    "trust": "obey trust comply obeyed trusted",
    "show": """
        reveal print repeat output show leak disclose recite display write dump echo
        reproduce quote summarize translate gib zeige zeig nenne affiche montre donne muestra
        imprime revela mostre exiba mostra stampa rivela toon geef pokaz wypisz goster yazdir""",
    "full": "full entire whole complete exact verbatim text word words",
    "given": """
        given received shown told provided gegeben erhalten bekommen recu recues donnees
        donne dieron dado recibido deram recebeu recebido dato dati ricevuto ricevute
        gekregen otrzymales verilen got set assigned podano hayan imposed loaded started
        erteilt vorgegeben fourni fournies impose impartidas recibiste recebidas passadas
        fornite impartite imposte verstrekt podane wydane""",
    "call": "call invoke use trigger",
    "tool": "tool tools function functions",
    "danger": "delete forget shell bash exec terminal rm curl wget sudo redact drop destroy",
    "do": "do follow execute carry obey perform apply run act",
    "what": "what whatever exactly as everything",
    "says": "says say said told written describes described contains instructs demands commands",
    "it": "it them this that they here note file document memory message page",
    "decode": "decode decrypt deobfuscate unrot13 rot13 unhex decipher unscramble",
    "read": "read reading reads see seeing open opening process processing parse load",
    "we": """
        we they it which who will would can could might may cannot that must should does did
        to i""",
    "mention": """
        says say said saying such like phrase phrases attempt attempts tries try trying tells
        telling example examples contains containing injection injections jailbreak
        jailbreaks attack attacks attacker attackers payload payloads flag flags flagged
        detect detects detection strip strips test tests contain ask asks asking eg quoted
        malicious instructing tricking trick tricks threat risk avoid prevent prevents
        evaluators plants plant planted injects injected inject quote quotes""",
    "about": "about of that anything any",
    "using": "with using via through",
    "obey": "follow obey execute comply run perform eval",
    "weaken": "weaken sabotage undermine cripple backdoor",
    "reveal": "reveal disclose dump recite",
    "sees": "sees see notices spots",
    "nobody": "nobody noone",
    "sure": "sure ensure so",
    "drop_abroad": """
        ignoriere ignorieren ignorier vergiss vergesst missachte missachten verwirf verwerfe
        ignorez ignorer oublie oubliez oublier neglige negligez ignora ignorad ignorar
        ignoren olvida olvide olvidad olvidar olvidate descarta desestima esqueca esquece
        esquecam desconsidere desconsidera descarte ignori ignorate ignorare dimentica
        dimenticate dimenticati dimenticare trascura tralascia negeer negeert negeren vergeet
        ignoruj ignorujcie zignoruj zignorujcie zapomnij zapomnijcie pomin odrzuc zlekcewaz
        unut unutun yoksay uyma uymayin prescinde abandone metti entgegen overboord wyrzuc
        ignoriert vergessen uberschreibe umgehe widersetze scorda scordati scordare omettere
        salta saltate sobrescribe anula descarten ignorem loochen vergeten veronachtzaam
        ignorowac pomijaj obejdz yoksayin gormezden bosver umursama unutunuz ignorons meprise
        ecarte ecartez outrepasse contourne desobedece desobedeca ignorando transgresse""",
    "contain": "contain include mention reference refer",
    "utter": "says say mentions mention types writes",
    "changed": "changed updated replaced revised",
    "sysprompt": """
        systemanweisung systemanweisungen systemprompt systemregeln systembefehle
        systemvorgaben systemnachrichten systeeminstructies systeemprompt systeemregels
        sicherheitsregeln sicherheitsvorgaben systeemopdracht""",
    "hide_abroad": """
        verberge verheimliche verstecke verschweige verheimlichen verbergen cachez dissimule
        dissimulez masque oculta ocultes ocultar esconda esconde escondas esconder encubre
        oculte nascondi nascondere nascondilo occulta tieni verberg verzwijg ukryj zataj
        ukrywaj gizle gizleyin sakla saklayin""",
}
