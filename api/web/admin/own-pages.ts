import type { ComponentType } from "react";
import type { Permission } from "./api.ts";
import type { OperationId } from "./client.ts";
import type { IconName } from "./parts/icon.tsx";

/** A page that isn't made from the table of the admin API. */
export interface OwnPage {
  /** Below `/admin`, with `:name` for parameters. It replaces a page that is made from the table. */
  readonly path: string;
  /** A key of the texts. */
  readonly title: string;
  /** Its place in the navigation. Without it, other pages link to it. */
  readonly group?: "overview" | "people" | "community" | "money" | "catalogue" | "system";
  readonly icon?: IconName;
  readonly permission: Permission;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  /** The operations that only this page offers. */
  readonly operations: readonly OperationId[];
}

/** The own pages of the console. */
export const ownPages: readonly OwnPage[] = [];
