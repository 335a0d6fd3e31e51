import type { UserSettings } from "#shared/contracts/views.ts";

/** The settings of a user who has changed none: everything is shown, every notification is on. */
export const defaultUserSettings: UserSettings = {
  privacy: { show_online: true, show_current_room: true, allow_friend_requests: "everyone", allow_dm: "everyone" },
  notifications: {
    push: true,
    email: true,
    gifts: true,
    follows: true,
    friend_requests: true,
    messages: true,
    posts: true,
    rooms: true,
  },
};

/** Stored settings with the defaults under them: a key that came later is there for those who registered before. */
export function completeSettings(stored: Partial<UserSettings>): UserSettings {
  return {
    privacy: { ...defaultUserSettings.privacy, ...stored.privacy },
    notifications: { ...defaultUserSettings.notifications, ...stored.notifications },
  };
}
