import { type Route, route } from "../../../http/route.ts";
import { presentConfig } from "./config.presenter.ts";
import { publicConfig } from "./config.schemas.ts";

export const configRoutes = (): Route[] => [
  route({
    id: "getPublicConfig",
    method: "get",
    path: "/config/public",
    inMaintenance: true,
    tag: "Config",
    summary: "Get the public configuration",
    description:
      "Returns what a client needs before login: the app's name, the minimum client version, the room categories and languages, and limits. Also works during maintenance, when `maintenance_mode` is true.",
    auth: "anyone",
    response: publicConfig,
    handler: async () => presentConfig(),
  }),
];
