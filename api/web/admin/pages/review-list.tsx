import { Badge, Group, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import type { QueuedReview } from "../../../../shared/client/admin.ts";
import { Named } from "../parts/named.tsx";
import { Nothing } from "../parts/section.tsx";
import { labelOf, t } from "../texts.ts";
import { Due } from "./review-due.tsx";

interface ListProps {
  readonly of: readonly QueuedReview[];
  readonly current: string | undefined;
  readonly choose: (id: string) => void;
}

/** What waits, the chosen one in view. */
export function ReviewList({ of, current, choose }: ListProps) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (current) list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  if (of.length === 0) return <Nothing>{t("review.nothing")}</Nothing>;
  return (
    <ul className="review-list" ref={list}>
      {of.map((one) => (
        <li key={one.id} aria-current={one.id === current || undefined}>
          <button type="button" onClick={() => choose(one.id)}>
            <span>
              {labelOf("values", one.about)} · {one.cause}
            </span>
            <Due of={one} />
          </button>
          <Group gap={6}>
            <Named type="user" id={one.user_id} />
            <Badge size="xs" variant="light" color={one.harm > 2 ? "red" : one.harm > 1 ? "orange" : "gray"}>
              {t("review.harm", { harm: one.harm })}
            </Badge>
            {one.kind === "report" && one.reach > 1 && (
              <Text size="xs" c="dimmed">
                {t("review.same", { count: one.reach })}
              </Text>
            )}
          </Group>
        </li>
      ))}
    </ul>
  );
}
