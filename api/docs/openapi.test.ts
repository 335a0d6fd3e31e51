import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import Joi from "joi";
import { id, integer, object, optional } from "#shared/contracts/fields.ts";
import { leaderboardScopes, notificationTypes } from "#shared/contracts/views.ts";
import { games } from "#shared/domain/live/games/games.ts";
import { pascalCase } from "#shared/kernel/pascal-case.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { adminApi } from "../admin-api.ts";
import { catalogueApi } from "../catalogue-api.ts";
import { type Route, route } from "../http/route.ts";
import { socialApi } from "../social-api.ts";
import type { JsonSchema } from "./json-schema.ts";
import { type OpenApi, type Operation, openApi } from "./openapi.ts";

const api = socialApi({ actors: noEngine });
const { routes } = api;

const operationsOf = ({ paths }: OpenApi): Operation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods));

interface Content {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: object;
}

const resolve = (document: OpenApi, part: unknown): unknown => {
  const { $ref } = part as { $ref?: string };
  if (!$ref) return part;
  const [, , kind, name] = $ref.split("/");
  return document.components[kind!]?.[name!];
};

/** The JSON of a body or a response. */
const contentOf = (document: OpenApi, part: unknown): Content =>
  (resolve(document, part) as { content: Record<string, Content> }).content["application/json"]!;

const schemaOf = (document: OpenApi, part: unknown): JsonSchema =>
  resolve(document, contentOf(document, part).schema) as JsonSchema;

/** Everything that a value refers to. */
const refsIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!);

/** What generated clients call the operations. A change here breaks them. */
const operationIds = `
  registerAccount verifyEmail verifyMobile resendVerificationCode requestPasswordReset resetPassword logIn
  logInWithGoogle logInWithApple logInWithFacebook logInWithProvider receiveAppleNotice requestPhoneCode logInByPhone logInAsGuest listIdentities linkIdentity unlinkIdentity setAgeSignal getSecondFactor enrollSecondFactor confirmSecondFactor disableSecondFactor
  refreshTokens logOut getCurrentUser listLoginSessions endLoginSession getMe updateMe updateMySettings
  registerDevice listFollowers listFollowing listBlockedUsers listApiKeys createApiKey deleteApiKey
  getCatalogueCustomer applyAsCatalogueCustomer listWebhooks createWebhook enableWebhook deleteWebhook listWebhookDeliveries
  resendWebhookDelivery searchUsers listOnlineUsers getUser followUser
  unfollowUser blockUser unblockUser listFriends removeFriend listFriendRequests listSentFriendRequests
  sendFriendRequest acceptFriendRequest rejectFriendRequest cancelFriendRequest createReport reportUser
  getPublicConfig getPolicies getWallet listWalletTransactions listRooms createRoom getRoom updateRoom closeRoom
  joinRoom leaveRoom listRoomMembers listRoomMessages deleteRoomMessage requestSeat listSeatRequests approveSeatRequest
  rejectSeatRequest kickUser listRoomBans liftRoomBans getRoomRules setRoomRules setMemberRole createVoiceToken sendGift listGifts
  listSentGifts listReceivedGifts listGameTypes createLobby listLobbies getLobby joinLobby setLobbyReady startGame
  leaveLobby getGameSession takeGameAction getGameProof listPlayedGames listConversations openConversation
  listDirectMessages sendDirectMessage markConversationRead listCoinPackages createCoinOrder listOrders getOrder getReceipt
  getEarnings listEarnings getProgress listOwnRunLines exchangeEarnings getStatement listLedgerTreeHeads listOwnAgencies listOwnInvitations
  listOwnContracts getAgency listAgencyHosts listHostProgress listAgencyRunLines listAgencyInvitations inviteHost acceptInvitation declineInvitation withdrawInvitation
  giveNotice listStaff addStaff removeStaff getKyc openKyc receiveKycWebhook
  listPayoutMethods requestPayout listPayouts getPayout receivePayoutWebhook
  getSeller orderStock passOnCoins listSellerTransfers getAgencyStatement getSellerStatement
  verifyPayment redeemCoupon presentGooglePurchase receiveGoogleNotice receivePaymentWebhook listFrames purchaseFrame equipFrame
  unequipFrame listVipPlans
  purchaseVipPlan getFeed createPost getPost deletePost togglePostLike listComments addComment deleteComment
  listUserPosts listNotifications getUnreadNotificationCount markNotificationRead markAllNotificationsRead
  listCampaigns getLeaderboard createTicket requestAccountDeletion requestDataExport getDataExport sendRoomMessage editRoomMessage addReaction removeReaction
  listPins pinRoomMessage unpinRoomMessage editDirectMessage deleteDirectMessage addDirectReaction
  getTerms acceptTerms listOwnHeldContent listOwnSanctions appealSanction acknowledgeSanction listOwnRemovals appealRemoval getConversation changeGroup muteConversation unmuteConversation listGroupMembers addGroupMembers changeGroupRole
  removeGroupMember listGroupInvites createGroupInvite endGroupInvite getInvitedGroup joinGroup
  removeDirectReaction listPinnedMessages pinDirectMessage unpinDirectMessage
  listSubscriptions cancelSubscription verifyApplePurchase restorePurchases receiveAppleStoreNotice listStickerPacks requestUpload completeUpload getMedia deleteMedia
`;

describe("the OpenAPI document", () => {
  const service = useService();

  it("is valid, and is what the service serves", async () => {
    const response = await fetch(`${service.url}/openapi.json`);
    expect(response.headers.get("content-type")).to.match(/^application\/json/);
    const document = (await response.json()) as OpenApi;
    const result = await new Validator().validate(structuredClone(document) as Record<string, unknown>);
    expect(result.errors ?? []).to.deep.equal([]);
    expect(result.valid).to.equal(true);
    expect(document.openapi).to.equal("3.1.0");
    expect(operationsOf(document)).to.have.length(routes.length);
  });

  describe("of all operations", () => {
    let document: OpenApi;
    let operations: Operation[];
    before(async () => {
      document = await openApi(api);
      operations = operationsOf(document);
    });

    it("names each of them once, in camel case", () => {
      const names = operations.map(({ operationId }) => operationId);

      expect(names.filter((name) => !/^[a-z]+([A-Z][a-z0-9]*)+$/.test(name))).to.deep.equal([]);
      expect(names).to.deep.equal([...new Set(names)]);
    });

    it("keeps the names that clients know", () => {
      const names = operations.map(({ operationId }) => operationId);

      expect(names).to.have.members(operationIds.trim().split(/\s+/));
    });

    it("names every body and every answer", () => {
      const contents = operations.flatMap(({ requestBody, responses }) =>
        [requestBody, ...Object.values(responses)].filter((part) => part !== undefined),
      );
      const schemas = contents.map((part) => contentOf(document, part).schema);

      expect(schemas.length).to.be.greaterThan(900);
      expect(schemas.filter((schema) => !schema.$ref)).to.deep.equal([]);
    });

    it("names the data of every success", () => {
      const responses = operations.map(({ responses }) => responses[201] ?? responses[200]);
      const envelopes = responses.map((response) => schemaOf(document, response!));

      const names = envelopes.map(({ properties }) => refsIn(properties!.data!));
      expect(names.filter((refs) => refs.length !== 1)).to.deep.equal([]);
    });

    it("shows an example of every success", () => {
      for (const { operationId, responses } of operations) {
        const { example } = contentOf(document, responses[201] ?? responses[200]!);
        expect(example, operationId).to.have.property("data");
      }
    });

    it("refers to nothing that is not there, and defines nothing in vain", () => {
      const refs = new Set(refsIn(document));
      const defined = Object.entries(document.components).flatMap(([kind, members]) =>
        Object.keys(members).map((name) => `#/components/${kind}/${name}`),
      );

      expect([...refs].filter((ref) => !defined.includes(ref))).to.deep.equal([]);
      expect(defined.filter((name) => !refs.has(name) && !name.includes("/securitySchemes/"))).to.deep.equal([]);
    });

    it("has nothing that generated clients can't compile", async () => {
      const found: string[] = [];
      const walk = (part: unknown, path: string) => {
        if (typeof part !== "object" || part === null) return;
        const { enum: values, properties, additionalProperties } = part as JsonSchema;
        if (Array.isArray(values) && values.includes(null)) found.push(`${path}: null in an enum`);
        if (properties && typeof additionalProperties === "object") found.push(`${path}: an index signature`);
        for (const [name, field] of Object.entries(properties ?? {}))
          if (field.default !== undefined) found.push(`${path}: default of ${name}`);
        for (const [name, one] of Object.entries(part)) walk(one, `${path}/${name}`);
      };
      const apis = await Promise.all([adminApi({ actors: noEngine }), catalogueApi()].map((one) => openApi(one)));
      for (const one of [document, ...apis]) {
        walk(one.components.schemas, one.info.title);
        for (const operation of operationsOf(one)) {
          const body = operation.requestBody as { required: boolean; content: Record<string, Content> } | undefined;
          const schemas = Object.values(body?.content ?? {}).map(({ schema }) => resolve(one, schema) as JsonSchema);
          if (!body?.required && schemas.some(({ required }) => (required as string[] | undefined)?.length))
            found.push(`${operation.operationId}: an optional body with required fields`);
        }
      }
      expect(found).to.deep.equal([]);
    });

    it("describes every tag", () => {
      const tags = document.tags as { name: string; description?: string }[];

      expect(tags.filter(({ description }) => !description)).to.deep.equal([]);
      expect(tags.map(({ name }) => name)).to.have.members(Object.keys(api.document.tags));
    });
  });

  describe("of what varies by a type", () => {
    let schemas: Record<string, JsonSchema>;
    before(async () => {
      ({ schemas } = (await openApi(api)).components as { schemas: Record<string, JsonSchema> });
    });
    const discriminated = (name: string) => {
      const { propertyName, mapping } = schemas[name]!.discriminator as { propertyName: string; mapping: object };
      return [propertyName, ...Object.keys(mapping)];
    };

    it("tells sessions apart by the game, and says its rules", () => {
      expect(discriminated("Session")).to.deep.equal(["type", ...games.keys()]);
      for (const { meta } of games.values())
        expect(schemas[`${pascalCase(meta.type)}Session`]?.description).to.equal(meta.description);
    });

    it("tells notifications, leaderboards, orders and checkouts apart", () => {
      expect(discriminated("Notification")).to.deep.equal(["type", ...notificationTypes]);
      expect(discriminated("Leaderboard")).to.deep.equal(["scope", ...leaderboardScopes]);
      expect(discriminated("Order")).to.deep.equal(["kind", "coins", "vip", "deposit"]);
      expect(discriminated("ProviderPayload")).to.deep.equal(["provider", "sandbox", "razorpay", "stripe"]);
    });

    it("says what is on the board of a game, and what only a player sees", () => {
      expect(schemas.LudoBoard).to.have.nested.property("properties.safe_squares.items.maximum", 51);
      expect(schemas.TriviaYou).to.have.nested.property("properties.answer");
    });

    it("says what each kind of action needs", () => {
      expect(discriminated("TakeActionBody")).to.deep.equal(["kind", "roll", "move", "answer", "flip", "prompt_pick"]);
      expect(schemas.MoveActionBody?.required).to.deep.equal(["kind", "piece"]);
    });
  });

  it("leaves the event loop to others while it is made", async () => {
    let turns = 0;
    const making = openApi(api);
    const counting = setImmediate(function count() {
      turns += 1;
      if (turns < routes.length) setImmediate(count);
    });
    await making;
    clearImmediate(counting);
    expect(turns).to.be.at.least(routes.length - 1);
  });

  describe("of one operation", () => {
    const entry: Route = route({
      id: "throwConfetti",
      method: "post",
      path: "/rooms/:id/confetti",
      tag: "Gifts",
      summary: "Throw confetti",
      auth: "user",
      idempotent: true,
      extension: true,
      status: 201,
      rateLimit: { points: 5, seconds: 10, by: "user" },
      params: object({ id: id() }),
      query: object({ quiet: optional(Joi.boolean()) }),
      body: object({ quantity: integer(1, 9, 3).description("Handfuls.") }),
      response: Joi.object({ total: integer(0, 9, 6) }),
      errors: ["INSUFFICIENT_BALANCE", "NOT_A_MEMBER", "BLOCKED", "ROOM_FULL"],
      handler: async () => ({ total: 6 }),
    });
    let document: OpenApi;
    let operation: Operation;
    before(async () => {
      document = await openApi({ ...api, routes: [entry] });
      operation = document.paths["/rooms/{id}/confetti"]!.post!;
    });

    it("says what its entry says", () => {
      expect(operation).to.deep.include({
        operationId: "throwConfetti",
        summary: "Throw confetti",
        tags: ["Gifts"],
        security: [{ bearer: [] }],
        "x-extension": true,
      });
      expect(operation.description).to.include("Rate limit: 5 requests in 10 s per user");
    });

    it("lists its parameters", () => {
      const { parameters } = operation as { parameters?: { name?: string; $ref?: string }[] };

      const names = parameters?.map(({ name, $ref }) => name ?? $ref);
      expect(names).to.deep.equal([
        "id",
        "quiet",
        "#/components/parameters/IdempotencyKey",
        "#/components/parameters/AcceptLanguage",
      ]);
    });

    it("names its body and its data after it", () => {
      const { schemas } = document.components as { schemas: Record<string, JsonSchema> };

      expect(schemas.ThrowConfettiBody).to.have.nested.property("properties.quantity.description", "Handfuls.");
      expect(schemas.ThrowConfettiData).to.have.nested.property("properties.total.maximum", 9);
      expect(schemas.ThrowConfettiResponse?.properties?.data).to.deep.equal({
        $ref: "#/components/schemas/ThrowConfettiData",
      });
    });

    it("shows what is sent and what comes back", () => {
      expect(contentOf(document, operation.requestBody).example).to.deep.equal({ quantity: 3 });
      expect(contentOf(document, operation.responses[201]!).example).to.deep.equal({
        success: true,
        data: { total: 6 },
      });
    });

    const codesOf = (status: number) =>
      schemaOf(document, operation.responses[status]!).properties!.error!.properties!.code!.enum;

    it("gives each status the codes that it can have there", () => {
      expect(codesOf(400)).to.deep.equal(["VALIDATION_ERROR", "MALFORMED_JSON"]);
      expect(codesOf(402)).to.deep.equal(["INSUFFICIENT_BALANCE"]);
      expect(codesOf(403)).to.deep.equal([
        "FORBIDDEN",
        "GUEST_NOT_ALLOWED",
        "CONSENT_REQUIRED",
        "ACCOUNT_SUSPENDED",
        "TERMS_NOT_ACCEPTED",
        "SANCTIONED",
        "BLOCKED",
        "NOT_A_MEMBER",
      ]);
      expect(codesOf(409)).to.deep.equal(["ROOM_FULL", "IDEMPOTENCY_CONFLICT"]);
      expect(codesOf(503)).to.deep.equal(["MAINTENANCE", "ENGINE_UNAVAILABLE"]);
    });

    it("shows an example of each code, as the service answers it", () => {
      const { examples } = contentOf(document, operation.responses[503]!);
      expect(Object.keys(examples!)).to.deep.equal(["MAINTENANCE", "ENGINE_UNAVAILABLE"]);

      const { value } = document.components.examples!.MAINTENANCE as { value: { error: object } };
      expect(value.error).to.include({ code: "MAINTENANCE" }).and.to.have.property("request_id");
    });
  });
});
