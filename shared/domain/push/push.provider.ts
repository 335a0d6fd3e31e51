/** What a person is told on a device that is not connected. */
export interface PushContent {
  readonly title: string;
  readonly body: string;
  /** For the app, when it is opened by it. */
  readonly data: Readonly<Record<string, string>>;
  /** One that comes with the same key replaces what is shown; so may the same push when it is sent again. */
  readonly replaces: string;
}

/** Whoever carries pushes to devices. */
export interface PushProvider {
  /**
   * Takes one push for the device with this token. `unknown_device`: there is no such device (any more).
   * @throws Error when it may be tried again.
   */
  send(token: string, content: PushContent): Promise<"sent" | "unknown_device">;
}
