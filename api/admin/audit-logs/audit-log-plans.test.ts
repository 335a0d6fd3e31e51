import { expect } from "chai";
import { listAuditLogs } from "#shared/domain/admins/audit-logs.queries.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { useSeededTables } from "#shared/testing/seeded-tables.ts";
import { tableScansOf } from "#shared/testing/table-scans.ts";

const page = { page: 1, limit: 20 };

describe("the list of the audit log", () => {
  useDatabase();
  const seeded = useSeededTables(["audit_log"]);

  it("never scans the table, whatever it is filtered by", async () => {
    await seeded(async (tx) => {
      await tx.query(`INSERT INTO audit_log (id, at, principal_kind, principal_id, role, action, target_type, target_id,
          ip, user_agent, request_id, seq, hash)
        SELECT gen_random_uuid(), now() - n * interval '1 minute', 'admin', gen_random_uuid(), 'x', 'test.' || n % 100,
          'type' || n % 100, n::text, '', '', '', 1000000 + n, '' FROM generate_series(1, 20000) AS n`);
      await tx.query("ANALYZE audit_log");

      const filters = [
        { actor_id: newId() },
        { action: "test.1" },
        { target_type: "type1" },
        { target_id: "17" },
        { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" },
      ];
      for (const filter of filters)
        for (const sort of ["at", "-at"] as const)
          expect(
            await tableScansOf(["audit_log"], () => listAuditLogs({ ...filter, sort }, page)),
            JSON.stringify({ ...filter, sort }),
          ).to.deep.equal([]);
    });
  });
});
