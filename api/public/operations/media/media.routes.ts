import { empty, listOf } from "#shared/contracts/fields.ts";
import { media, mediaUpload, stickerPack, userMediaPurposes } from "#shared/contracts/views.ts";
import { completeUpload } from "#shared/domain/base/media/complete-upload.ts";
import { deleteMedia } from "#shared/domain/base/media/delete-media.ts";
import { getMedia } from "#shared/domain/base/media/media.queries.ts";
import { requestUpload } from "#shared/domain/base/media/request-upload.ts";
import { listStickerPacks } from "#shared/domain/base/stickers/stickers.queries.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import * as schemas from "./media.schemas.ts";

const route = routeOf("Media", "user");

export const mediaRoutes = (): Route[] => [
  route({
    id: "listStickerPacks",
    method: "get",
    path: "/sticker-packs",
    extension: true,
    summary: "List stickers",
    description: "By pack. To send one, send a message of `kind` `sticker` with its ID as `media_id`.",
    response: listOf(stickerPack),
    handler: () => listStickerPacks(),
  }),
  route({
    id: "requestUpload",
    method: "post",
    path: "/media",
    summary: "Announce an upload",
    description:
      "Returns where to send the bytes, with which headers, and until when. Then call `POST /media/:id/complete`. What nothing shows for a day is deleted.",
    body: schemas.uploadBody(userMediaPurposes, { waveform: schemas.waveform }).meta({ name: "UploadBody" }),
    rateLimit: { points: 60, seconds: 60, by: "user" },
    status: 201,
    response: mediaUpload,
    errors: ["RATE_LIMITED", "CONTENT_BLOCKED"],
    handler: ({ caller, body }) => requestUpload(caller, body),
  }),
  route({
    id: "completeUpload",
    method: "post",
    path: "/media/:id/complete",
    summary: "Complete an upload",
    description:
      "Reads what you have sent: pictures are turned upright, lose all metadata, and get three sizes. Waits until that is done, usually well below a second, or returns the state `processing` after some seconds: `media:updated` tells the rest. A repeated call returns it as it is.",
    blocks: "none",
    params: schemas.mediaParams,
    response: media,
    errors: ["NOT_FOUND", "CONFLICT"],
    handler: ({ caller, params }) => completeUpload(caller, params.id),
  }),
  route({
    id: "getMedia",
    method: "get",
    path: "/media/:id",
    summary: "Get an upload",
    description: "Returns what you have uploaded, and what became of it. Addresses of private files work for an hour.",
    blocks: "none",
    params: schemas.mediaParams,
    response: media,
    errors: ["NOT_FOUND"],
    handler: ({ caller, params }) => getMedia(caller, params.id),
  }),
  route({
    id: "deleteMedia",
    method: "delete",
    path: "/media/:id",
    summary: "Delete an upload",
    description: "Fails with CONFLICT while something shows it: remove it from there first.",
    blocks: "none",
    params: schemas.mediaParams,
    response: empty,
    errors: ["NOT_FOUND", "CONFLICT"],
    handler: ({ caller, params }) => deleteMedia(caller, params.id),
  }),
];
