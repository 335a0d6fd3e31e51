import type { Core } from "./core.ts";
import { paymentsOf } from "./payments.ts";
import type { Operations } from "./social.generated.ts";
import { newKey } from "./timing.ts";
import { uploadWith } from "./upload.ts";

type Query<Op extends keyof Operations> = Operations[Op] extends { query?: infer Q } ? Q : never;
type Body<Op extends keyof Operations> = Operations[Op] extends { body?: infer B } ? B : never;

/** The features of the API that are single calls. Each function returns the data of its operation. */
export const featuresOf = ({ request, send, live, fetch }: Pick<Core, "request" | "send" | "live" | "fetch">) => ({
  config: () => request("getPublicConfig"),
  leaderboard: (query: Query<"getLeaderboard">) => request("getLeaderboard", { query }),
  campaigns: () => request("listCampaigns"),

  media: {
    /** Uploads a file. Returns it once it is ready, or rejected with a reason. */
    upload: uploadWith({
      announce: (body: Body<"requestUpload">) => request("requestUpload", { body }),
      complete: (id) => request("completeUpload", { params: { id }, repeat: true }),
      fetch,
    }),
    get: (id: string) => request("getMedia", { params: { id } }),
    delete: (id: string) => request("deleteMedia", { params: { id } }),
    stickers: () => request("listStickerPacks"),
  },

  rooms: {
    list: (query?: Query<"listRooms">) => request("listRooms", { query }),
    get: (id: string) => request("getRoom", { params: { id } }),
    create: (body: Body<"createRoom">) => request("createRoom", { body }),
    update: (id: string, body: Body<"updateRoom">) => request("updateRoom", { params: { id }, body }),
    close: (id: string) => request("closeRoom", { params: { id } }),
    /** All members by page: in a crowd of more than 300, `state` has only some. */
    members: (id: string, query?: Query<"listRoomMembers">) => request("listRoomMembers", { params: { id }, query }),
    /** Joins a room. Resolves when its state is known. */
    join: live.joinRoom,
  },

  games: {
    types: () => request("listGameTypes"),
    /** The open lobbies of a room. */
    lobbies: (room_id: string) => request("listLobbies", { query: { room_id } }),
    history: (query?: Query<"listPlayedGames">) => request("listPlayedGames", { query }),
    /** Opens a lobby, whose host you are. */
    create: live.createLobby,
    lobby: live.openLobby,
    open: live.openGame,
  },

  users: {
    me: () => request("getMe"),
    update: (body: Body<"updateMe">) => request("updateMe", { body }),
    settings: (body: Body<"updateMySettings">) => request("updateMySettings", { body }),
    get: (id: string) => request("getUser", { params: { id } }),
    search: (query: Query<"searchUsers">) => request("searchUsers", { query }),
    online: (query?: Query<"listOnlineUsers">) => request("listOnlineUsers", { query }),
    followers: (query?: Query<"listFollowers">) => request("listFollowers", { query }),
    following: (query?: Query<"listFollowing">) => request("listFollowing", { query }),
    blocked: (query?: Query<"listBlockedUsers">) => request("listBlockedUsers", { query }),
    follow: (id: string) => request("followUser", { params: { id }, repeat: true }),
    unfollow: (id: string) => request("unfollowUser", { params: { id }, repeat: true }),
    block: (id: string) => request("blockUser", { params: { id }, repeat: true }),
    unblock: (id: string) => request("unblockUser", { params: { id }, repeat: true }),
    report: (id: string, body: Body<"reportUser">) => request("reportUser", { params: { id }, body }),
    posts: (id: string, query?: Query<"listUserPosts">) => request("listUserPosts", { params: { id }, query }),
  },

  friends: {
    list: (query?: Query<"listFriends">) => request("listFriends", { query }),
    requests: (query?: Query<"listFriendRequests">) => request("listFriendRequests", { query }),
    sent: (query?: Query<"listSentFriendRequests">) => request("listSentFriendRequests", { query }),
    request: (userId: string) => request("sendFriendRequest", { params: { userId }, repeat: true }),
    accept: (id: string) => request("acceptFriendRequest", { params: { id } }),
    reject: (id: string) => request("rejectFriendRequest", { params: { id } }),
    cancel: (id: string) => request("cancelFriendRequest", { params: { id } }),
    remove: (userId: string) => request("removeFriend", { params: { userId } }),
  },

  wallet: {
    get: () => request("getWallet"),
    transactions: (query?: Query<"listWalletTransactions">) => request("listWalletTransactions", { query }),
  },

  earnings: {
    get: () => request("getEarnings"),
    movements: (query?: Query<"listEarnings">) => request("listEarnings", { query }),
    progress: (query?: Query<"getProgress">) => request("getProgress", { query }),
    runs: (query?: Query<"listOwnRunLines">) => request("listOwnRunLines", { query }),
    exchange: (amount: number, idempotencyKey?: string) =>
      request("exchangeEarnings", { body: { amount }, idempotencyKey }),
    /** `period`: a month, a day, or an hour, in UTC: `2026-11`. */
    statement: (period: string) => request("getStatement", { params: { period } }),
  },

  /** Agencies, and what the user has to do with them: as owner, staff, or host. */
  agencies: {
    list: (query?: Query<"listOwnAgencies">) => request("listOwnAgencies", { query }),
    get: (id: string) => request("getAgency", { params: { id } }),
    hosts: (id: string, query?: Query<"listAgencyHosts">) => request("listAgencyHosts", { params: { id }, query }),
    progress: (id: string, query?: Query<"listHostProgress">) => request("listHostProgress", { params: { id }, query }),
    runs: (id: string, query?: Query<"listAgencyRunLines">) => request("listAgencyRunLines", { params: { id }, query }),
    /** Those that the user has got; `invited` are an agency's. */
    invitations: (query?: Query<"listOwnInvitations">) => request("listOwnInvitations", { query }),
    invited: (id: string, query?: Query<"listAgencyInvitations">) =>
      request("listAgencyInvitations", { params: { id }, query }),
    invite: (id: string, body: Body<"inviteHost">) => request("inviteHost", { params: { id }, body }),
    accept: (id: string) => request("acceptInvitation", { params: { id } }),
    decline: (id: string) => request("declineInvitation", { params: { id } }),
    withdraw: (id: string) => request("withdrawInvitation", { params: { id } }),
    contracts: (query?: Query<"listOwnContracts">) => request("listOwnContracts", { query }),
    endContract: (id: string) => request("giveNotice", { params: { id } }),
    statement: (id: string, period: string) => request("getAgencyStatement", { params: { id, period } }),
    staff: (id: string, query?: Query<"listStaff">) => request("listStaff", { params: { id }, query }),
    addStaff: (id: string, user_id: string) => request("addStaff", { params: { id }, body: { user_id }, repeat: true }),
    removeStaff: (id: string, userId: string) => request("removeStaff", { params: { id, userId } }),
  },

  /** For coin sellers. */
  sellers: {
    get: () => request("getSeller"),
    order: (package_id: string, idempotencyKey?: string) =>
      request("orderStock", { body: { package_id }, idempotencyKey }),
    passOn: (user_id: string, coins: number, idempotencyKey?: string) =>
      request("passOnCoins", { body: { user_id, coins }, idempotencyKey }),
    transfers: (query?: Query<"listSellerTransfers">) => request("listSellerTransfers", { query }),
    statement: (period: string) => request("getSellerStatement", { params: { period } }),
  },

  payouts: {
    kyc: () => request("getKyc"),
    startKyc: () => request("openKyc"),
    methods: () => request("listPayoutMethods"),
    request: (body: Body<"requestPayout">, idempotencyKey?: string) =>
      request("requestPayout", { body, idempotencyKey }),
    list: (query?: Query<"listPayouts">) => request("listPayouts", { query }),
    get: (id: string) => request("getPayout", { params: { id } }),
  },

  payments: paymentsOf({ request }),

  gifts: {
    list: () => request("listGifts"),
    send: (roomId: string, body: Body<"sendGift">, idempotencyKey?: string) =>
      request("sendGift", { params: { id: roomId }, body, idempotencyKey }),
    sent: (query?: Query<"listSentGifts">) => request("listSentGifts", { query }),
    received: (query?: Query<"listReceivedGifts">) => request("listReceivedGifts", { query }),
  },

  store: {
    frames: () => request("listFrames"),
    buyFrame: (id: string, body: Body<"purchaseFrame">, idempotencyKey?: string) =>
      request("purchaseFrame", { params: { id }, body, idempotencyKey }),
    equip: (id: string) => request("equipFrame", { params: { id }, repeat: true }),
    unequip: (id: string) => request("unequipFrame", { params: { id }, repeat: true }),
    /** With `platform`, what an app buys at its store, by `store_product_id`. */
    vipPlans: (query?: Query<"listVipPlans">) => request("listVipPlans", { query }),
    buyVip: (planId: string, idempotencyKey?: string) =>
      request("purchaseVipPlan", { params: { planId }, idempotencyKey }),
  },

  posts: {
    feed: (query?: Query<"getFeed">) => request("getFeed", { query }),
    create: (body: Body<"createPost">) => request("createPost", { body }),
    get: (id: string) => request("getPost", { params: { id } }),
    delete: (id: string) => request("deletePost", { params: { id } }),
    /** Likes a post, or takes the like back. */
    like: (id: string) => request("togglePostLike", { params: { id } }),
    comments: (id: string, query?: Query<"listComments">) => request("listComments", { params: { id }, query }),
    comment: (id: string, content: string) => request("addComment", { params: { id }, body: { content } }),
    deleteComment: (id: string, commentId: string) => request("deleteComment", { params: { id, commentId } }),
  },

  notifications: {
    list: (query?: Query<"listNotifications">) => request("listNotifications", { query }),
    unread: () => request("getUnreadNotificationCount"),
    read: (id: string) => request("markNotificationRead", { params: { id } }),
    readAll: () => request("markAllNotificationsRead", { repeat: true }),
  },

  conversations: {
    list: (query?: Query<"listConversations">) => request("listConversations", { query }),
    open: (peer_id: string) => request("openConversation", { body: { peer_id }, repeat: true }),
    messages: (id: string, query?: Query<"listDirectMessages">) =>
      request("listDirectMessages", { params: { id }, query }),
    /** Sends a direct message. It is stored once, however often it is sent. */
    send: (id: string, message: string | Body<"sendDirectMessage">) => {
      const body = typeof message === "string" ? { body: message } : message;
      return request("sendDirectMessage", { params: { id }, body: { client_id: newKey(), ...body } });
    },
    get: (id: string) => request("getConversation", { params: { id } }),
    mute: (id: string, muted = true) =>
      request(muted ? "muteConversation" : "unmuteConversation", { params: { id }, repeat: true }),
    read: (id: string) => request("markConversationRead", { params: { id }, repeat: true }),
    edit: (id: string, messageId: string, body: string) =>
      request("editDirectMessage", { params: { id, messageId }, body: { body } }),
    delete: (id: string, messageId: string) => request("deleteDirectMessage", { params: { id, messageId } }),
    react: (id: string, messageId: string, emoji: string, mine = true) =>
      request(mine ? "addDirectReaction" : "removeDirectReaction", { params: { id, messageId, emoji }, repeat: true }),
    pin: (id: string, messageId: string, pinned = true) =>
      request(pinned ? "pinDirectMessage" : "unpinDirectMessage", { params: { id, messageId } }),
    typing: (conversation_id: string, typing: boolean) => send("typing:dm", { conversation_id, typing }),
  },

  sanctions: {
    list: () => request("listOwnSanctions"),
    appeal: (id: string, text: string) => request("appealSanction", { params: { id }, body: { text } }),
    /** Notes that the user has seen it, such as a warning. */
    acknowledge: (id: string) => request("acknowledgeSanction", { params: { id }, repeat: true }),
  },

  /** What the user wrote that others don't see before a review. The event `content:decided` says what became of it. */
  held: { list: () => request("listOwnHeldContent") },

  terms: {
    /** The version that holds, and the one that the user accepted last. The texts are `policies`. */
    get: () => request("getTerms"),
    accept: (version: string) => request("acceptTerms", { body: { version }, repeat: true }),
  },
  policies: () => request("getPolicies"),

  reports: { create: (body: Body<"createReport">) => request("createReport", { body }) },

  /** The user's data as a zip. */
  dataExport: {
    request: () => request("requestDataExport", { repeat: true }),
    get: () => request("getDataExport"),
  },

  /** Conversations of up to 256. Messages, reading, and pins are those of `conversations`. */
  groups: {
    create: (name: string, user_ids: string[], picture_media_id?: string) =>
      request("openConversation", {
        body: { kind: "group", name, user_ids, ...(picture_media_id !== undefined && { picture_media_id }) },
      }),
    update: (id: string, change: Body<"changeGroup">) => request("changeGroup", { params: { id }, body: change }),
    members: (id: string, query?: Query<"listGroupMembers">) => request("listGroupMembers", { params: { id }, query }),
    add: (id: string, user_ids: string[]) => request("addGroupMembers", { params: { id }, body: { user_ids } }),
    setRole: (id: string, userId: string, role: Body<"changeGroupRole">["role"]) =>
      request("changeGroupRole", { params: { id, userId }, body: { role } }),
    /** Removes a member; with one's own ID, leaves. */
    remove: (id: string, userId: string) => request("removeGroupMember", { params: { id, userId } }),
    invites: (id: string) => request("listGroupInvites", { params: { id } }),
    invite: (id: string, expires_in?: number) =>
      request("createGroupInvite", { params: { id }, body: expires_in === undefined ? {} : { expires_in } }),
    endInvite: (id: string, inviteId: string) => request("endGroupInvite", { params: { id, inviteId } }),
    invited: (code: string) => request("getInvitedGroup", { params: { code } }),
    join: (code: string) => request("joinGroup", { params: { code }, repeat: true }),
  },
});
