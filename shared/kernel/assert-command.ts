import type { Command } from "commander";
import { nearestName } from "#shared/kernel/nearest-name.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";

/** @throws OperatorError for a command that doesn't exist, with those that do */
export function assertCommand(program: Command, name: string | undefined): void {
  const known = [...program.commands.map((command) => command.name()), "help"];
  if (name === undefined || name.startsWith("-") || known.includes(name)) return;
  const nearest = nearestName(name, known);
  throw new OperatorError(
    `Unknown command "${name}".${nearest ? ` Did you mean "${nearest}"?` : ""} Commands: ${known.join(", ")}.`,
  );
}
