import { empty } from "#shared/contracts/fields.ts";
import { adminMediaPurposes, media, mediaUpload } from "#shared/contracts/views.ts";
import { completeUpload } from "#shared/domain/base/media/complete-upload.ts";
import { deleteMedia } from "#shared/domain/base/media/delete-media.ts";
import { getMedia } from "#shared/domain/base/media/media.queries.ts";
import { requestUpload } from "#shared/domain/base/media/request-upload.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";
import { mediaParams, uploadBody } from "../../../public/operations/media/media.schemas.ts";

const tag = "Media";
const permission = "media.upload";

/** Uploads of the service: any administrator who uploads sees and completes them. */
export const adminMediaRoutes = (): AdminRoute[] => [
  adminWrite({
    tag,
    id: "requestArtUpload",
    method: "post",
    path: "/media",
    extension: true,
    permission,
    summary: "Announce an upload",
    description:
      "Of art for gifts, frames, stickers, badges, banners, or the catalogue: pictures, moving pictures, and for gifts and frames Lottie (`application/json`) and SVGA (`application/octet-stream`). Send the bytes where the response says, call `POST /media/:id/complete`, and save the address of the size that you need in the record. What no record shows for a day is deleted.",
    body: uploadBody(adminMediaPurposes).meta({ name: "ArtUploadBody" }),
    status: 201,
    response: mediaUpload,
    audit: { action: "media.announce", target: (_input, { id }) => ({ type: "media", id }) },
    handler: ({ caller, body }) => requestUpload(caller, body),
  }),
  adminWrite({
    tag,
    id: "completeArtUpload",
    method: "post",
    path: "/media/:id/complete",
    extension: true,
    permission,
    summary: "Complete an upload",
    description:
      "Reads what you have sent. Waits until that is done, usually well below a second, or returns the state `processing` after some seconds: ask again. A repeated call returns it as it is.",
    params: mediaParams,
    response: media,
    errors: ["NOT_FOUND", "CONFLICT"],
    audit: { action: "media.complete", target: ({ params }) => ({ type: "media", id: params.id }) },
    handler: ({ caller, params }) => completeUpload(caller, params.id),
  }),
  adminRead({
    tag,
    id: "getArt",
    method: "get",
    path: "/media/:id",
    extension: true,
    permission,
    summary: "Get an upload",
    description: "Returns what was uploaded, and what became of it.",
    params: mediaParams,
    response: media,
    errors: ["NOT_FOUND"],
    handler: ({ caller, params }) => getMedia(caller, params.id),
  }),
  adminWrite({
    tag,
    id: "deleteArt",
    method: "delete",
    path: "/media/:id",
    extension: true,
    permission,
    summary: "Delete an upload",
    description: "Fails with CONFLICT while a record shows it.",
    params: mediaParams,
    response: empty,
    errors: ["NOT_FOUND", "CONFLICT"],
    audit: { action: "media.delete", target: ({ params }) => ({ type: "media", id: params.id }) },
    handler: ({ caller, params }) => deleteMedia(caller, params.id),
  }),
];
