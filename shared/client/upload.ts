import { HubbubError } from "./errors.ts";
import type { MediaUpload } from "./social.generated.ts";

/** The size and the type follow from the file, unless another type is given. */
type About<Body> = Omit<Body, "bytes" | "content_type"> & { readonly content_type?: string };

interface UploadPorts<Body, Media> {
  readonly announce: (body: Body) => Promise<MediaUpload>;
  readonly complete: (id: string) => Promise<Media>;
  readonly fetch: typeof fetch;
}

/** Returns what uploads a file: announces it, sends its bytes to where the service says, and completes it. */
export const uploadWith =
  <Body, Media extends { readonly state: string }>({ announce, complete, fetch }: UploadPorts<Body, Media>) =>
  async (file: Blob, { content_type = file.type, ...about }: About<Body>): Promise<Media> => {
    const { id, upload } = await announce({ ...about, content_type, bytes: file.size } as Body);
    const { "Content-Length": _, ...headers } = upload.headers as Record<string, string>;
    const sent = await fetch(upload.url, { method: upload.method, headers, body: file });
    if (!sent.ok) throw new HubbubError("CONFLICT", "The bytes were not taken.", { status: sent.status });
    for (;;) {
      const media = await complete(id);
      if (media.state !== "processing") return media;
    }
  };
