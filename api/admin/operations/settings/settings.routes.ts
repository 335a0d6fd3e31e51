import { listOf } from "#shared/contracts/fields.ts";
import { settingRecord } from "#shared/contracts/views.ts";
import { changeSettings, settingsInput } from "#shared/domain/base/settings/change-settings.ts";
import { listSettings } from "#shared/domain/base/settings/settings.queries.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";
import { ifMatchHeader, versionOf } from "../../managed-routes.ts";

const tag = "Settings";
const settings = listOf(settingRecord).meta({ name: "SettingList" });

export const settingsRoutes = (): AdminRoute[] => [
  adminRead({
    tag,
    id: "listSettings",
    method: "get",
    path: "/settings",
    summary: "List settings",
    description: "Returns all settings with their values, defaults, and last changes.",
    permission: "settings.read",
    response: settings,
    handler: () => listSettings(),
  }),
  adminWrite({
    tag,
    id: "updateSettings",
    method: "patch",
    path: "/settings",
    summary: "Update settings",
    description:
      "Sets the values of one or more settings, or of none if one is invalid. Every process applies them within 2 seconds. `maintenance_mode` and `maintenance_message` also require the permission `system.maintenance`. Send the highest `version` of the list as `If-Match`: then it fails with `CONFLICT` if one of the settings was changed since; `error.details` names them with their values.",
    headers: [ifMatchHeader],
    errors: ["CONFLICT"],
    permission: "settings.write",
    body: settingsInput.meta({ name: "UpdateSettingsBody" }),
    response: settings,
    audit: {
      action: "setting.change",
      target: ({ body }) => Object.keys(body).map((key) => ({ type: "setting", id: key })),
    },
    handler: async ({ caller, body, headers }) => {
      await changeSettings(caller, body, versionOf(headers["if-match"]));
      return listSettings();
    },
  }),
];
