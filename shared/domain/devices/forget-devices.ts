import { Device } from "./device.model.ts";

/** Nothing is sent any more to whoever deletes his account. Answers how many devices he had. */
export const forgetDevices = (userId: string): Promise<number> => Device.destroy({ where: { user_id: userId } });
