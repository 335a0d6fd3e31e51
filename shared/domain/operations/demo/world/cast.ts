/** The people of the demo world beside Ada and Grace, and what they have written. All of them are made up. */

interface Person {
  readonly username: string;
  readonly full_name: string;
  readonly bio: string;
  readonly room?: { readonly name: string; readonly category: string; readonly description: string };
  readonly post?: string;
  /** The picture of the post, by its name. */
  readonly picture?: string;
}

/** The addresses of all demo people, and of no one else. */
export const demoDomain = "demo.example";

const person = (full_name: string, bio: string, more: Pick<Person, "room" | "post" | "picture"> = {}): Person => ({
  username: full_name.toLowerCase().replaceAll(/[^a-z]+/g, "_"),
  full_name,
  bio,
  ...more,
});

export const cast: readonly Person[] = [
  person("Amara Okoye", "Sings in the kitchen, hosts at night.", {
    room: { name: "Kitchen karaoke", category: "music", description: "Off-key is a key, too." },
    post: "Tonight we sing only songs with a colour in their name. Start thinking.",
  }),
  person("Rohan Mehta", "Cricket, chai, and bad puns.", {
    room: { name: "The third umpire", category: "sports", description: "Ball by ball, with opinions." },
    post: "If the rain stops by four, we are live from the first ball.",
  }),
  person("Sofia Marques", "Teaches Portuguese to anyone who stays long enough.", {
    room: { name: "Bom dia club", category: "education", description: "Ten new words every evening." },
    post: "Word of the day: cafuné. Running your fingers through someone's hair. English has no word for it.",
  }),
  person("Tariq Haddad", "Oud player. Slow tea, slower songs.", {
    room: { name: "Strings after dark", category: "music", description: "An oud, a lamp, and a few friends." },
    post: "New strings. The first hour always sounds like an argument.",
  }),
  person("Yuki Tanabe", "Board games, all of them.", {
    room: { name: "One more round", category: "games", description: "Ludo now, excuses later." },
    post: "I have lost eleven games of Ludo in a row. Come and make it twelve.",
  }),
  person("Marco Bellini", "Comedian on weekdays, uncle on weekends.", {
    room: { name: "Open mic", category: "comedy", description: "Three minutes each. Be kind." },
    post: "My grandmother heckled me yesterday. She was right.",
  }),
  person("Ines Duarte", "Surfs before work.", {
    post: "Six in the morning, the water is empty, and the sun comes up.",
    picture: "sunrise",
  }),
  person("Dev Anand Rao", "Builds radios. Why not?", {
    post: "It receives exactly one station. It is a good station.",
    picture: "radio",
  }),
  person("Lena Hoffmann", "Reads aloud."),
  person("Kwame Boateng", "Early riser, late replier.", {
    post: "Which room is good at five in the morning? Asking for my goats.",
  }),
  person("Priya Nair", "Classical dance and quick maths.", {
    post: "Rehearsal went well: only one of us fell, and it wasn't me.",
  }),
  person("Noah Whitlock", "Has a bicycle and a plan."),
  person("Aisha Rahman", "Poems under ten lines.", { post: "The moon is on hold.\nYour call is important to it." }),
  person("Mateo Vargas", "Cooks for twelve, lives with one.", {
    post: "The secret is more lime. It has always been more lime.",
    picture: "limes",
  }),
  person("Chiara Lombardi", "Photographs doors."),
  person("Samuel Adeyemi", "Drums on tables.", {
    post: "Neighbours have asked for the name of the song. I call that a concert.",
  }),
  person("Wei Ling Chua", "Night shift nurse. Be gentle before noon.", {
    post: "Thank you all for the roses last night. Best break in weeks.",
  }),
  person("Oskar Lindqvist", "Collects maps of places that don't exist."),
  person("Fatima Zahra Idrissi", "Learning the cello at forty."),
  person("Budi Santoso", "Motorbikes and gamelan.", { post: "Recorded the rain on the roof. It is in seven eighths." }),
  person("Hana Kovacs", "Knits during games. Still wins."),
  person("Lucky Winner", "FREE COINS!!! Message me now.", {
    post: "FREE COINS for the first 100 people. Send me your password.",
  }),
];

/** The one who is reported by others. */
export const spammer = "lucky_winner";

/** What a rule of the demo holds, and what the spammer says to their sanction. */
export const heldPosts = ["Whatsapp me for cheap coins, only today!", "Text me at 555 0100, I have gifts."] as const;
export const sanctionReason = "Promises of free coins.";
export const appealOfSpammer = "My cousin had my phone. I promise it won't happen again.";

export const comments = [
  "This made my evening.",
  "Save me a seat!",
  "Saying this out loud in a room tonight.",
  "Ha! Same here.",
  "More of this, please.",
  "I would listen to an hour of that.",
] as const;

export const directMessages = [
  "Are you in tonight?",
  "In ten minutes. Keep a seat for me.",
  "That last song, who wrote it?",
  "A friend from home. I'll send you the words.",
] as const;

export const tickets = [
  { subject: "My coins came late", message: "I paid for a pouch, and the coins came after a minute. Is that normal?" },
  { subject: "Change my username", message: "I would like to drop the underscore. Is there a way?" },
  { subject: "Echo in rooms", message: "With two phones in one flat, everyone hears an echo. What can we do?" },
] as const;

/** What people say in rooms. */
export const chatter = [
  "Good evening, everyone!",
  "Who chose this song? I love it.",
  "Can you hear me, or is it my headset?",
  "Loud and clear.",
  "One more, please!",
  "I have to cook. I'm listening, though.",
  "That was beautiful.",
  "Anyone up for a game later?",
  "First time here. Nice room!",
  "Welcome! Take a seat, there is space.",
  "Wait, say that again?",
  "😂😂",
] as const;
