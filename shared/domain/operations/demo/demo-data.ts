import type { NewAccount } from "#shared/domain/identity/accounts/create-account.ts";
import type { RoomInput } from "#shared/domain/live/rooms/create-room.ts";
import type { PostInput } from "#shared/domain/social/posts/create-post.ts";

/** The demo data of a new database. Never seeded in production. */

export interface DemoPerson extends Pick<NewAccount, "username" | "full_name" | "email"> {
  readonly coins: number;
  readonly room: Pick<RoomInput, "name" | "category" | "language" | "description">;
  /** `picture`: of those that the service ships. */
  readonly posts: readonly (PostInput & { readonly picture?: string })[];
}

interface DemoGift {
  readonly name: string;
  /** Coins. */
  readonly price: number;
  readonly animated?: true;
}

/** Cheap gifts to try, and expensive ones that a new wallet cannot pay. */
export const demoGifts: readonly { readonly category: string; readonly gifts: readonly DemoGift[] }[] = [
  {
    category: "Classic",
    gifts: [
      { name: "Clap", price: 1 },
      { name: "Rose", price: 10 },
      { name: "Coffee", price: 25 },
      { name: "Birthday cake", price: 99 },
    ],
  },
  {
    category: "Party",
    gifts: [
      { name: "Confetti", price: 50, animated: true },
      { name: "Dhol", price: 150, animated: true },
      { name: "Fireworks", price: 500, animated: true },
    ],
  },
  {
    category: "Luxury",
    gifts: [
      { name: "Sports car", price: 5_000, animated: true },
      { name: "Yacht", price: 20_000, animated: true },
      { name: "Castle", price: 100_000, animated: true },
    ],
  },
];

export const demoStickers = [
  { pack: "Night owls", stickers: ["Waving owl", "Singing owl", "Sleepy owl", "Star owl"] },
] as const;

/** Prices are in minor units: 9900 is 99.00. */
export const demoPackages = [
  { name: "Handful", coins: 100, bonus_coins: 0, price: 9_900, currency: "INR" },
  { name: "Pouch", coins: 550, bonus_coins: 50, price: 49_900, currency: "INR" },
  { name: "Chest", coins: 1_200, bonus_coins: 200, price: 99_900, currency: "INR" },
  { name: "Vault", coins: 6_500, bonus_coins: 1_500, price: 499_900, currency: "INR" },
] as const;

/** Prices are in coins. */
export const demoFrames = [
  { name: "Plain gold", price: 200, duration_days: 7 },
  { name: "Aurora", price: 600, duration_days: 30 },
  { name: "Peacock", price: 1_500, duration_days: 30 },
  { name: "Founders", price: 10_000, duration_days: null },
] as const;

/** Prices are in minor units. */
export const demoPlans = [
  {
    name: "Silver",
    price: 14_900,
    currency: "INR",
    duration_days: 30,
    benefits: ["A silver badge on your card"],
  },
  {
    name: "Gold",
    price: 29_900,
    currency: "INR",
    duration_days: 30,
    benefits: ["A gold badge on your card", "Visible in rooms, messages, and lists"],
  },
] as const;

/** Two current campaigns and an upcoming one. Days count from the seeding. */
export const demoCampaigns = [
  { title: "Week of roses", description: "Who sends the most roses?", picture: "roses", from_day: 0, to_day: 7 },
  { title: "New voices", description: "Open your first room.", picture: "new-voices", from_day: 0, to_day: 30 },
  { title: "Ludo cup", description: "Bring three friends.", picture: "ludo-cup", from_day: 7, to_day: 9 },
] as const;

/** What each kind of action of a rule looks like. Real lists are for the operator to choose. */
export const demoRules = [
  {
    name: "Sale of accounts (demo)",
    words: ["buy my account", "account for sale"],
    action: { kind: "block", text: "Accounts can't be sold here." },
  },
  { name: "Mild words (demo)", words: ["dang*", "heck"], action: { kind: "mask", text: "Mind your words." } },
  {
    name: "Contact details (demo)",
    words: ["whatsapp me", "text me at"],
    action: { kind: "hold", text: "We look at contact details before others see them.", harm: 2 },
  },
] as const;

export const demoPassword = "listen to the room";

export const demoPeople: readonly DemoPerson[] = [
  {
    username: "ada",
    full_name: "Ada Lovelace",
    email: "ada@demo.example",
    coins: 2_000,
    room: { name: "Night owls", category: "music", language: "en", description: "Songs until dawn." },
    posts: [
      { content: "Tonight in Night owls: songs from midnight to dawn. Bring a request." },
      { content: "For my followers: tomorrow's set list.", visibility: "followers" },
    ],
  },
  {
    username: "grace",
    full_name: "Grace Hopper",
    email: "grace@demo.example",
    coins: 2_000,
    room: { name: "Compiler club", category: "education", language: "en", description: "Bring your bugs." },
    posts: [
      {
        content: "We found it. It was a moth.",
        picture: "moth",
      },
    ],
  },
];

/** The messages between the two people; the last one stays unread. */
export const demoMessages: readonly { readonly from: string; readonly body: string }[] = [
  { from: "ada", body: "Are you coming to Night owls?" },
  { from: "grace", body: "When it compiles." },
];
