import { notificationSettings, type UserSettings } from "#shared/contracts/views.ts";

/** What a person has who has changed nothing: everything is shown and everything is told. */
export const defaultUserSettings: UserSettings = {
  privacy: { show_online: true, show_current_room: true, allow_friend_requests: "everyone", allow_dm: "everyone" },
  notifications: Object.fromEntries(
    Object.keys(notificationSettings).map((key) => [key, true]),
  ) as UserSettings["notifications"],
};

/** Stored settings with the defaults under them: a key that came later is there for those who registered before. */
export function completeSettings(stored: Partial<UserSettings>): UserSettings {
  return {
    privacy: { ...defaultUserSettings.privacy, ...stored.privacy },
    notifications: { ...defaultUserSettings.notifications, ...stored.notifications },
  };
}
