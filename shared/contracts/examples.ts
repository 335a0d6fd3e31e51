import { timeOfId } from "#shared/kernel/ids.ts";

/** The access token of the examples. */
export const exampleToken = "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl";

/**
 * IDs of the examples in the documents. The examples tell one story: Ada is the caller, Grace is another user, and what
 * one operation creates has the same ID where another one shows it.
 */
export const exampleIds = {
  ada: "0198f2a4-7c1e-7d3a-9b52-3f6f0c1d2e4a",
  adaSession: "0198f2a4-7d05-7f61-8e0b-64d1a97c3b12",
  media: "0198f2a4-a51c-7e02-9c1d-7b3e5a8f2d60",
  adaDevice: "0198f2a4-9e33-7a48-b7c6-1f0e5d2a8c94",
  grace: "0198f2a6-13b7-7c52-a8e4-90d2f5b6c371",
  admin: "0198f2a0-1c44-7b7e-8a10-3d5e9f0b6c21",
  adminSession: "0198f2a0-2e51-7d03-9c48-b1f7a60d8e35",
  role: "0198f2a0-0a19-7c62-b5d4-90e3c8f71a46",
  apiKey: "0198f2a4-b2d7-7c90-8f1e-6a3c5e7d9b02",
  webhook: "0198f2a4-c8e1-7b36-9d02-4f7a1c5e8b30",
  webhookDelivery: "0198f2a4-f3b0-7d18-a4c6-8e2b5d9f1a07",
  loggedEvent: "0198f2ae-6d2c-7a93-b1e8-5c0f7d3a9b26",
  auditLogEntry: "0198f2a1-5b07-7e3d-9a64-c2f81d0e7b53",
  friendRequest: "0198f2a8-4b60-7e19-9c35-d7a1f08e624b",

  room: "0198f2ab-0f8d-7b26-8d17-5ac3e94f7061",
  seatRequest: "0198f2ab-c2e4-7095-b4f8-2e6b1d0a9c57",
  roomMessage: "0198f2ac-58a1-7d8c-9a63-f41e7c05b2d8",
  lobby: "0198f2ad-3c97-7f04-8b21-a95d6e1f4c30",
  gameSession: "0198f2ad-e718-7463-ab9e-07c8d2f5b146",

  held: "0198f2b4-a1c7-7d30-8e52-6b9f0d4c7a15",
  sanction: "0198f2b4-7b21-7e64-a9d0-2c8f5e1b3a47",
  removal: "0198f2b4-9a3e-7b50-8c21-6f4d2e8a1b93",
  appeal: "0198f2b4-9c05-7f18-b3e6-4d7a1c9e5f20",
  rule: "0198e0d1-8a44-7b90-a2c6-5e1f7d3b9c08",
  policyText: "0198e0d1-8b71-7c24-9d50-3f8a6e1c7b92",
  stickerPack: "0198e0d1-7c20-7a31-8b46-d1f05e9a2c73",
  sticker: "0198e0d1-7c3b-7d52-9e17-a4c82f6b0d95",
  giftCategory: "0198e0d1-2a40-7c11-8f35-b6e09d7a4c12",
  gift: "0198e0d1-2a5b-7e92-9d08-4f1c6b3e7a85",
  giftTransaction: "0198f2ae-6d29-7a57-8c40-e3b51f9d7068",
  splitPlan: "0198e0d1-2b7c-7d40-8a93-5e6f1c0b9d27",
  earningsExchange: "0198f2ae-8c51-7b06-9f42-a3d7e5c1b084",
  seller: "0198e0d1-2d91-7a46-8b27-5c1f0e9a3d84",
  sellerTransfer: "0198f2af-3e68-7d05-9c71-b4a2f8160e93",
  kycCase: "0198f2ae-9a14-7d82-8e63-b5c1f7029d48",
  payout: "0198f2af-1b37-7c64-9a20-d8e5f1306b79",
  payoutMethod: "0198e0d1-2c8e-7b53-9d16-4f0a7e2c8b35",
  payoutBatch: "0198f2af-2d59-7e18-8b47-c6a3e9150d82",
  agency: "0198f2ae-a1c0-7d52-8b37-4e9f6a0c1d85",
  agencyInvitation: "0198f2ae-a2d7-7b18-9c46-0f5e3a7d8b91",
  agencyPlan: "0198e0d1-2c8d-7a51-9b04-6f7a1d0c8e38",
  run: "0198f2b5-3a10-7d64-8c27-1e9f5b0a7d42",
  runLine: "0198f2b5-3b21-7e75-9d38-2f0a6c1b8e53",
  runCorrection: "0198f2b5-3c32-7f86-8e49-3a1b7d2c9f64",
  contract: "0198f2ae-a3e4-7c90-a5b2-6d1f8e0c4a73",
  coinPackage: "0198e0d1-3c77-7105-b2ea-95d84f0c6e3b",
  offer: "0198e0d1-3d90-7a14-9c27-6b5e8f1d0a42",
  coupon: "0198e0d1-3e5a-7c83-8b16-0d9f4a7c2e61",
  adjustment: "0198f2ae-9a10-7c35-b6d8-1e4f7a2c5093",
  coinOrder: "0198f2af-15c3-7be8-9f76-0a4d8c2e5b91",
  frame: "0198e0d1-4f18-76d4-a1c9-7e3b05f2d86a",
  vipPlan: "0198e0d1-5b9c-7f30-8e57-c20a6d9b4f14",
  vipOrder: "0198f2b0-a94e-7d12-b358-6f7e1c04a2d9",
  storeProduct: "0198e0d1-3d02-7c48-9b61-e5f20a7d8c36",
  subscription: "0198f2b0-b07a-7e25-8c91-3d6a0f5b2e84",
  depositOrder: "0198f2b0-c1e7-7a46-9d03-5b8f2e6c7a14",
  ledgerEntry: "0198f2ae-6d2b-7018-a5d3-8b9f4c7e1062",

  conversation: "0198f2b1-70d6-7c8f-9274-d51b3e0a6f48",
  invite: "0198f2b1-9b04-7c6e-8d27-3f5a1e8b0c94",
  directMessage: "0198f2b1-d83a-7526-8ba0-4c9e7f1d5b63",
  post: "0198f2b2-9f41-7e70-a6d5-13c8b04e9f27",
  comment: "0198f2b3-2bc8-7a1d-9e84-f06d5a7c3b91",
  notification: "0198f2b3-8e15-7d49-b0c7-5e2f9a1d6084",
  campaign: "0198e0d1-6e02-7b53-9ac8-d4f17e0b5a36",
  broadcast: "0198f2b4-1c60-7a93-8e27-d50b9f3a6e18",
  report: "0198f2b4-5a7f-7cb6-8d12-e90b4f6c3a75",
  voiceEvidence: "0198f2b4-5b02-7c4e-a1d6-3f9e8b7c2d10",
  ticket: "0198f2b5-1e90-7384-9f6b-2a7d8c0e5b14",
} as const;

/**
 * Returns an example of a time, ISO 8601: when the resource with this ID was created, or some seconds later. The times
 * in the documents therefore agree with the IDs.
 */
export const exampleTime = (id: string, secondsLater = 0): string =>
  new Date(timeOfId(id) + secondsLater * 1000).toISOString();
