/** What people choose most: words and keyboard runs, in several languages. */
const words = `
  123abc 1a2b3c4d 1q2w3e4r 1q2w3e4r5t 1qaz2wsx a123456 a1b2c3d4 aa123456 aaa111 aaaaaa abc123 abcabc abcd1234
  abcdef abcdefgh access admin administrator alejandro alexander alexandra always amanda amazon america
  andreas andrew android angel angels anna anthony antonio apple apple123 april argentina arsenal asd123
  asdasd asdasdasd asdf1234 asdfgh asdfghjk asdfghjkl ashley asshole august australia autumn avatar azerty
  baby babygirl bacon bailey banana bandit barcelona bart baseball basketball batgirl batman beautiful
  benjamin berlin beyonce bieber bigdick birthday bitch blahblah blessed blessing bonita bonjour boston brasil
  brazil brother bugsbunny burger business buster butter butterfly california callofduty camaro camila camille
  canada carlos casper changeme charles charlie cheese chelsea cherry chicago chicken chocolate christian
  christmas cinema claudia cliffhanger coffee college colombia company computer contrasena cookie cookies
  cooper corvette counterstrike cowboys cricket crystal daddy dallas daniel daniela david december default
  denver deutschland diamond dinosaur doctor dolphin donald dragon eagle eagles element elephant elizabeth
  eminem england espana facebook falcon family father february fernando ferrari florian flower flowers
  football forever fortnite france francisco freedom friday friend friends frodo fuck fuckoff fuckyou gabriela
  gandalf garfield george germany ginger giraffe gladiator godisgood golden golfer goodluck google gorgeous
  guest guitar hallo hamster hannah happy harley harrypotter heaven hello hellokitty hermione hobbit hockey
  hogwarts hola holiday homer honda honey hottie houston hunter ilovegod iloveyou india instagram internet
  iphone ironman isabella isabelle italia james january jasmine jennifer jessica jesus jesuschrist jetaime
  john joker jordan joshua juergen julia julie july june justin juventus kennwort killer kitten kitty koala
  lakers laura letmein letmein1 lightning linkedin lion lisa liverpool lkjhgf login logmein london lorena love
  lovely lover loveyou lozinka lucky madrid maggie manager manchester manuel march maria marie marine mario
  martin master matrix matthew melissa mercedes metallica mexico michael michelle mickey microsoft million
  minecraft minnie mnbvcx mommy monday money moneyman monika monkey montana motdepasse mother movies music
  mustang naruto nathalie netflix network newyork nicolas nicole nigeria ninja nintendo nirvana nokia nothing
  november nurse october office oliver onedirection opensesame openup orange p@ssw0rd p@ssword packers
  pakistan panda panther paris passw0rd password passwort patrick patriots peanut penguin penis pepper peter
  phoenix pikachu pirate pizza playstation poiuyt pokemon poland police porn porsche portugal precious prince
  princess puppy purple pussy q1w2e3r4 q2w3e4r5 qazwsx qazwsxedc queen qwe123 qweasd qweasdzxc qweqwe qwer1234
  qwerty qwertyuiop qwertz rabbit rainbow ranger realmadrid robert roberto roblox rockstar rocky root rugby
  russia rusty sabine sales samantha sammy samsung samsung1 samurai sarah schatz school scooby sebastian
  secret security senha september server service sexy shadow shelby silver simpson sister skywalker smile
  snoopy soccer sofia soldier sophie sparky spiderman spongebob spring starwars starwars1 steelers stefan
  stephanie streaming student success sugar summer sunday sunshine superman support suzuki sweet system taco
  teacher teamo teamomucho teiubesc temp tennis tequiero tequila terminator test tester testing texas thomas
  thunder tiger tigger tiktok titanic toor toyota treasure trewq trustno1 turtle twitter unicorn united
  university user vader valentina victoria video vodka voldemort wachtwoord warcraft warrior wasd1234 welcome
  welcome1 whatever whiskey william windows winter wolf wolfgang xbox360 xxxxxx yamaha yankees yellow yoda
  youtube zaq12wsx zelda zxcvbn zxcvbnm zxczxc zzzzzz`

/** What is put after them. */
const endings =
  ' 1 2 3 7 11 12 13 21 22 23 69 77 88 99 00 01 10 111 123 321 777 666 1234 12345 123456 1234567 12345678 123456789 ! !! 1! 12! 123! @ @1 @12 @123 @1234 # #1 . .1 _1 _123 2020 2021 2022 2023 2024 2025 2026 2020! 2021! 2022! 2023! 2024! 2025! 2026!'

/** What is chosen as it stands. */
const whole = `
  11111111 00000000 12345678 123456789 1234567890 12345678910 87654321 987654321 9876543210 0123456789 01234567 012345678 11223344 1122334455
  112233445566 12341234 123123123 123412345 123321123 12344321 123454321 1234567899 12345679 123456789a 123456789q 12345678a 12345678q a12345678
  a123456789 q12345678 22222222 33333333 44444444 55555555 66666666 77777777 88888888 99999999 111111111 1111111111 000000000 0000000000
  121212121 12121212 13131313 10101010 20202020 21212121 69696969 14141414 123654789 147258369 147852369 159357258 159753456 741852963 789456123
  963852741 369258147 321654987 987654321a 111222333 123456123 123456654321 135792468 13579246810 246813579 24681012 31415926 314159265 27182818
  19841984 19851985 19861986 19871987 19881988 19891989 19901990 19911991 19921992 19931993 19941994 19951995 20002000 20012001 20202020
  abcdefghi abcdefghij abcdefg1 aaaaaaaa bbbbbbbb xxxxxxxx zzzzzzzz qqqqqqqq asdfasdf qwerqwer zxcvzxcv qwertyui asdfghjkl; 1qazxsw2 2wsx3edc
  3edc4rfv 1qaz2wsx3edc zaqxswcde !qaz2wsx 1qaz@wsx qwertzuiop yxcvbnm1 azertyuiop qsdfghjklm poiuytrewq lkjhgfdsa mnbvcxzlk 0987654321 qwe12345
  qwer12345 asdf12345 zxcv1234 zxc12345 pass1234 pass12345 passpass testtest adminadmin rootroot lovelove sexysexy iloveyou2 iloveyou3 loveme123
  letmeinnow trustno11 correcthorsebatterystaple whoknows nopassword mypassword mypass123 thepassword yourpassword newpassword oldpassword
  passwordpassword password1234567 p4ssw0rd p455w0rd passw0rd1 pa55word pa55w0rd pa$$word pa$$w0rd adm1n1strator 4dm1n123 qwertyqwerty qwerty12345
  qwerty123456 1234qwer 12qwaszx 123qweasd 123qweasdzxc 123qwe123 1q2w3e4r5t6y 1q2w3e4r5t6y7u8i q1w2e3r4t5 q1w2e3r4t5y6 zaq1zaq1 zaq1xsw2 xsw2zaq1`

const wordsOf = (text: string) => text.split(/\s+/)
const common = new Set([
  ...wordsOf(whole),
  ...wordsOf(words).flatMap((word) => endings.split(' ').map((ending) => word + ending)),
])

/** Whether a password is among the first that attackers try; upper and lower case make no difference to them. */
export function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase()
  return common.has(lower) || new Set(lower).size < 3
}
