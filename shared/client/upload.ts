import { HubbubError } from "./errors.ts";
import type { Rest } from "./rest.ts";
import type { Media, Operations } from "./social.generated.ts";

type Announcement = Operations["requestUpload"]["body"];
/** What a file is for. Its type and size follow from the file. */
type About = Pick<Announcement, "purpose" | "name" | "waveform"> & { readonly content_type?: string };

interface UploadPorts {
  readonly request: Rest<Operations>["request"];
  readonly fetch: typeof fetch;
}

/** Returns what uploads a file: announces it, sends its bytes to where the service says, and completes it. */
export const uploadWith =
  ({ request, fetch }: UploadPorts) =>
  async (file: Blob, { content_type = file.type, ...about }: About): Promise<Media> => {
    const { id, upload } = await request("requestUpload", { body: { ...about, content_type, bytes: file.size } });
    const { "Content-Length": _, ...headers } = upload.headers as Record<string, string>;
    const sent = await fetch(upload.url, { method: upload.method, headers, body: file });
    if (!sent.ok) throw new HubbubError("CONFLICT", "The bytes were not taken.", { status: sent.status });
    for (;;) {
      const media = await request("completeUpload", { params: { id }, repeat: true });
      if (media.state !== "processing") return media;
    }
  };
