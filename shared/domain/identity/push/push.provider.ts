/** What a push shows on a device. */
export interface PushContent {
  readonly title: string;
  readonly body: string;
  /** For the app, when the push opens it. */
  readonly data: Readonly<Record<string, string>>;
  /** A push with the same key replaces an earlier one, so a repeated push is shown once. */
  readonly replaces: string;
}

/** A carrier of pushes to devices. */
export interface PushProvider {
  /** Resolves when the provider accepts our account; sends nothing. @throws Error */
  check(): Promise<void>;
  /**
   * Sends a push to the device with this token. Returns `unknown_device` when there is no such device, or no longer.
   * @throws Error when it may be retried, PushDelayed when that has to wait
   */
  send(token: string, content: PushContent): Promise<"sent" | "unknown_device">;
}

/** The provider accepts this push no sooner than in some seconds. */
export class PushDelayed extends Error {
  readonly waitSeconds: number;

  constructor(message: string, waitSeconds: number) {
    super(message);
    this.waitSeconds = waitSeconds;
  }
}
