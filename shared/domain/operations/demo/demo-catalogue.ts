/** The demo catalogue. All games, shops, and payment gateways in it are made up. */

export const demoCategories = [
  { name: "Adventure games", icon: "fa-solid fa-hat-wizard", type: "top_up" },
  { name: "Strategy games", icon: "fa-solid fa-chess", type: "top_up" },
  { name: "Gift cards", icon: "fa-solid fa-gift", type: "card" },
] as const;

interface DemoTopUp {
  readonly name: string;
  readonly text: string;
  readonly unit: string;
  /** Its place in `demoCategories`. */
  readonly category: number;
  /** Of one of its services, in percent. */
  readonly discount: string;
  readonly hasServers: boolean;
  readonly hasCampaign: boolean;
}

const topUp = (name: string, unit: string, category: 0 | 1, more: Partial<DemoTopUp> = {}): DemoTopUp => ({
  name,
  unit,
  category,
  text: `${unit[0]!.toUpperCase()}${unit.slice(1)} for ${name}.`,
  discount: "10",
  hasServers: false,
  hasCampaign: false,
  ...more,
});

export const demoTopUps = [
  topUp("Star Raiders", "gems", 0, { hasCampaign: true }),
  topUp("Lanterns of Orrin", "sparks", 0, { hasServers: true }),
  topUp("Tidebound", "pearls", 0),
  topUp("Mossfolk", "acorns", 0),
  topUp("Skyward Courier", "stamps", 0),
  topUp("The Ninth Harbor", "doubloons", 0),
  topUp("Castles of Ember", "crowns", 1),
  topUp("Hexline", "cores", 1),
  topUp("Quiet Empire", "seals", 1),
  topUp("Brass Parliament", "cogs", 1),
  topUp("Winter Regiment", "medals", 1),
  topUp("Orchard Tactics", "blossoms", 1),
] as const;

export const demoCards = [
  { name: "Moonbeam Store", text: "A card for the Moonbeam Store.", trending: 1 },
  { name: "Cobalt Music", text: "A card for Cobalt Music.", trending: 0 },
  { name: "Paperkite Books", text: "A card for Paperkite Books.", trending: 0 },
] as const;

const dollars = {
  name: "USD",
  currency_symbol: "$",
  conversion_rate: "1",
  min_limit: "1",
  max_limit: "1000",
  percentage_charge: "2.5",
  fixed_charge: "0.3",
};

export const demoGateways = [
  {
    code: "cardwise",
    name: "Cardwise",
    description: "Cards of all networks.",
    parameter_names: ["secret_key", "publishable_key"],
    supported_currency: ["USD"],
    receivable_currencies: [dollars],
    is_sandbox: 1,
    environment: "sandbox",
  },
  {
    code: "banklane",
    name: "Banklane",
    description: "Bank transfers.",
    parameter_names: ["api_token"],
    supported_currency: ["USD"],
    receivable_currencies: [{ ...dollars, percentage_charge: "0", fixed_charge: "1" }],
    is_sandbox: 1,
    environment: "sandbox",
  },
] as const;
