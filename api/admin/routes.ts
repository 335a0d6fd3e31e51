import type { Route } from "../http/route.ts";
import { accessRoutes } from "./access/access.routes.ts";

/** Every operation of the admin API, resource by resource. */
export const adminRoutes = (): Route[] => [...accessRoutes()];
