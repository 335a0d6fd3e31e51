import { type Route, route } from "../../http/route.ts";
import { presentConfig } from "./config.presenter.ts";
import { publicConfig } from "./config.schemas.ts";

export const configRoutes = (): Route[] => [
  route({
    method: "get",
    path: "/config/public",
    inMaintenance: true,
    tag: "Config",
    summary: "What clients need to know before anybody logs in",
    auth: "anyone",
    response: publicConfig,
    handler: async () => presentConfig(),
  }),
];
