import { setImmediate as yieldOnce } from "node:timers/promises";
import type { RulePreview } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { compileRules, type Rule } from "#shared/domain/base/filter/compile-rules.ts";
import { RuleModel } from "#shared/domain/base/filter/rule.model.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

const messagesMax = 10_000;
const samplesMax = 20;
/** Messages that are checked before others' work goes on. */
const atOnce = 250;

interface Said {
  readonly body: string;
  readonly room_id: string;
  readonly category: string;
}

/**
 * Returns what a rule would have found in the latest messages of public rooms, enabled or not. Administrators read
 * there what all could have read. @throws NOT_FOUND
 */
export async function previewRule(id: string): Promise<RulePreview> {
  const rule = await RuleModel.read({ id });
  if (!rule) throw new DomainError("NOT_FOUND");
  const { find } = compileRules([{ ...(rule as Rule), action: { kind: "block", text: "" } }]);
  const messages = await query<Said>(
    `SELECT m.body, m.room_id, r.category FROM (
       SELECT id, room_id, body, deleted_at FROM room_messages ORDER BY id DESC LIMIT ${messagesMax}
     ) AS m JOIN rooms r ON r.id = m.room_id
     WHERE m.body <> '' AND m.deleted_at IS NULL AND NOT r.is_private ORDER BY m.id DESC`,
  );
  const samples: string[] = [];
  let found = 0;
  for (const [index, { body, room_id: roomId, category }] of messages.entries()) {
    if (index % atOnce === atOnce - 1) await yieldOnce();
    if (find(body, { roomId, category }).length === 0) continue;
    found += 1;
    if (samples.length < samplesMax) samples.push(body);
  }
  return { checked: messages.length, found, samples };
}
