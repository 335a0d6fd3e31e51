import { DomainError } from "#shared/kernel/domain-error.ts";
import { metrics } from "#shared/kernel/metrics.ts";

/** Counts a login by its way in and outcome: ok, registered, refused, or failed. */
export async function countLogin<T extends object>(way: string, login: Promise<T>): Promise<T> {
  try {
    const answer = await login;
    metrics.logins.inc({ way, outcome: "is_new" in answer && answer.is_new ? "registered" : "ok" });
    return answer;
  } catch (error) {
    const isRefused = error instanceof DomainError && error.code !== "ENGINE_UNAVAILABLE";
    // An unknown provider is whatever the caller has typed.
    if (!(error instanceof DomainError && error.code === "NOT_FOUND"))
      metrics.logins.inc({ way, outcome: isRefused ? "refused" : "failed" });
    throw error;
  }
}
