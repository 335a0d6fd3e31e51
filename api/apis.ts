import { adminApi } from "./admin-api.ts";
import { catalogueApi } from "./catalogue-api.ts";
import type { ApiDeps } from "./deps.ts";
import type { Api } from "./http/api.ts";
import { socialApi } from "./social-api.ts";

/** Returns all APIs of the service. They are mounted and documented by this list. */
export const allApis = (deps: ApiDeps): readonly [social: Api, admin: Api, catalogue: Api] => [
  socialApi(deps),
  adminApi(deps),
  catalogueApi(),
];

/** Orders APIs so that one below another's base path, such as `/api/v1/admin`, is mounted before it. */
export const inMountOrder = (apis: readonly Api[]): Api[] =>
  apis.toSorted((one, other) => other.basePath.length - one.basePath.length);
