/** The seams between the service and whoever carries its messages. Each may be asked to send the same message twice. */

export interface MailToSend {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface MailCarrier {
  /** Resolves when somebody has taken the mail over. @throws Error, without the address, when nobody did */
  send(mail: MailToSend): Promise<void>;
  /** Ends connections that are kept. */
  close(): void;
}

export interface SmsToSend {
  /** E.164. */
  readonly to: string;
  readonly text: string;
}

export interface SmsCarrier {
  /** Resolves when somebody has taken the message over. @throws Error, without the number, when nobody did */
  send(sms: SmsToSend): Promise<void>;
}
