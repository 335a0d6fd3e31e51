import type { UserSettings } from "#shared/contracts/views.ts";

/** The default settings: everything is shown, every notification is on, but only those who ask for it get emails. */
export const defaultUserSettings: UserSettings = {
  privacy: { show_online: true, show_current_room: true, allow_friend_requests: "everyone", allow_dm: "everyone" },
  notifications: {
    push: true,
    email: false,
    gifts: true,
    follows: true,
    friend_requests: true,
    messages: true,
    posts: true,
    rooms: true,
  },
};

/** Completes stored settings with the defaults, so that new settings have a value for existing users. */
export function completeSettings(stored: Partial<UserSettings>): UserSettings {
  return {
    privacy: { ...defaultUserSettings.privacy, ...stored.privacy },
    notifications: { ...defaultUserSettings.notifications, ...stored.notifications },
  };
}
