import { Button, TextInput } from "@mantine/core";
import { type ComponentProps, useState } from "react";
import { toast } from "../admin/parts/toast.ts";
import { SignInFrame } from "../admin/sign-in.tsx";
import { t } from "../admin/texts.ts";
import { hubbub } from "./data.ts";

type Props = Pick<ComponentProps<typeof SignInFrame>, "hasExpired" | "onDone" | "other">;

/** The login by a code that is sent to a mobile number. A number without an account gets one, and is told so. */
export function PhoneSignIn({ other, ...props }: Props) {
  const [mobile, setMobile] = useState<string>();

  const send = async (textOf: (name: string) => string) => {
    if (mobile !== undefined) {
      const { is_new } = await hubbub.signIn.phone({ mobile, code: textOf("code").trim() });
      if (is_new) toast.done(t("sign_in.registered"));
      return true;
    }
    const given = textOf("mobile").replaceAll(/[\s()-]/g, "");
    await hubbub.signIn.phoneCode(given);
    setMobile(given);
    return false;
  };

  const sendAgain = (to: string) =>
    hubbub.signIn.phoneCode(to).then(() => toast.done(t("sign_in.code_sent", { mobile: to })), toast.failed);

  return (
    <SignInFrame
      lead={mobile === undefined ? t("studio.lead") : t("sign_in.code_sent", { mobile })}
      action={mobile === undefined ? t("sign_in.send_code") : t("sign_in.submit")}
      send={send}
      other={
        mobile === undefined ? (
          other
        ) : (
          <>
            <Button variant="subtle" onClick={() => sendAgain(mobile)}>
              {t("sign_in.send_again")}
            </Button>
            <Button variant="subtle" onClick={() => setMobile(undefined)}>
              {t("sign_in.other_number")}
            </Button>
          </>
        )
      }
      {...props}
    >
      {mobile === undefined ? (
        <TextInput
          key="mobile"
          name="mobile"
          type="tel"
          autoComplete="tel"
          label={t("sign_in.mobile")}
          description={t("sign_in.mobile_hint")}
          required
          withAsterisk={false}
          autoFocus
        />
      ) : (
        <TextInput
          key="code"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          label={t("sign_in.code")}
          required
          withAsterisk={false}
          autoFocus
        />
      )}
    </SignInFrame>
  );
}
