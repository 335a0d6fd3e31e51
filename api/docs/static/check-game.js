import { createHash, createHmac } from "node:crypto";

let text = "";
for await (const chunk of process.stdin) text += chunk;
const { seed, seed_hash, draws } = JSON.parse(text).data;

if (createHash("sha256").update(seed).digest("hex") !== seed_hash) throw new Error("The seed doesn't match its hash.");

function draw(index, n) {
  const limit = 2 ** 32 - (2 ** 32 % n);
  for (let attempt = 0; ; attempt += 1) {
    const number = createHmac("sha256", seed).update(`${index}:${attempt}`).digest().readUInt32BE(0);
    if (number < limit) return number % n;
  }
}

for (const { index, purpose, value } of draws) {
  const [what, n] = purpose.split(" of ");
  if (draw(index, Number(n)) !== value) throw new Error(`Draw ${index} (${purpose}) doesn't match the seed.`);
  console.log(`${index}: ${what} ${what === "die" ? value + 1 : value}`);
}
console.log(`All ${draws.length} draws match the seed. The hash shown at the start of the game must be ${seed_hash}`);
