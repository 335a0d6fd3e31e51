import * as x509 from "@peculiar/x509";

const signingAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Makes a certificate for `localhost` that no authority has signed. Both are in PEM. */
export async function ownCertificate(): Promise<{ readonly key: string; readonly cert: string }> {
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: "CN=localhost", keys, signingAlgorithm },
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }])],
  });
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  return { key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----`, cert: certificate.toString("pem") };
}
