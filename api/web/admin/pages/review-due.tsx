import { Badge } from "@mantine/core";
import i18next from "i18next";
import { useEffect, useState } from "react";
import type { QueuedReview } from "../../../../shared/client/admin.ts";
import { formatTime } from "../parts/format.ts";
import { labelOf, t } from "../texts.ts";

const minuteMs = 60_000;

/** Returns the time of this moment, again each minute. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), minuteMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** `in 3 hours`, `5 minutes ago` */
function relative(ms: number): string {
  const format = new Intl.RelativeTimeFormat(i18next.language, { numeric: "always" });
  const minutes = Math.round(ms / minuteMs);
  if (Math.abs(minutes) < 120) return format.format(minutes, "minute");
  return Math.abs(minutes) < 72 * 60
    ? format.format(Math.round(minutes / 60), "hour")
    : format.format(Math.round(minutes / 1440), "day");
}

/** How long there is to decide, in red once that is over. */
export function Due({ of: { due_at, status } }: { readonly of: Pick<QueuedReview, "due_at" | "status"> }) {
  const left = Date.parse(due_at) - useNow();
  if (status === "closed")
    return (
      <Badge variant="light" color="gray">
        {labelOf("values", "closed")}
      </Badge>
    );
  return (
    <Badge
      variant={left < 0 ? "filled" : "light"}
      color={left < 0 ? "red" : left < 240 * minuteMs ? "orange" : "gray"}
      title={formatTime(due_at)}
    >
      {t(left < 0 ? "review.late_since" : "review.due", { when: relative(left) })}
    </Badge>
  );
}
