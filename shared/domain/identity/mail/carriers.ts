/** The interfaces to the carriers of messages. Each may be called twice with the same message. */

export interface MailToSend {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface MailCarrier {
  /** Resolves when the mail is accepted. @throws Error, without the address, when it is not */
  send(mail: MailToSend): Promise<void>;
  /** Resolves when the server accepts our login. @throws Error */
  check(): Promise<void>;
  /** Closes idle connections. */
  close(): void;
}

export interface SmsToSend {
  /** E.164. */
  readonly to: string;
  readonly text: string;
}

export interface SmsCarrier {
  /** Resolves when the provider responds; sends nothing. @throws Error */
  check(): Promise<void>;
  /**
   * Resolves when the message is accepted, with the carrier's name for its price if it tells one.
   * @throws Error, without the number, when it is not
   */
  send(sms: SmsToSend): Promise<string | undefined>;
}
