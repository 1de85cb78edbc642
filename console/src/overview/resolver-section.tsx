import { Badge, Button, Table } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import type { Overview } from './use-overview.ts';
import classes from './overview.module.css';
import { type ResolverRow, resolverRows } from './overview-figures.ts';
import { overviewTexts } from './overview-texts.ts';

interface ResolverSectionProps {
  readonly resolvers: Overview['resolvers'];
  readonly users: Overview['users'];
}

const COLOURS = { available: 'green', unavailable: 'red', unknown: 'gray' } as const;

/** The most resolvers that are shown at once. */
const MAX_RESOLVERS = 12;

/** The resolvers with their last known health and numbers of users; those that are unavailable first. */
export function ResolverSection({ resolvers, users }: ResolverSectionProps): ReactNode {
  const t = useTexts(overviewTexts);
  const format = useFormat();
  const [isWhole, setWhole] = useState(false);
  const rows = resolverRows({ resolvers, users });
  return (
    <section className={classes.section}>
      <h2>{t.resolvers}</h2>
      {rows.length === 0 ? (
        <p className={classes.meaning}>{t.noResolvers}</p>
      ) : (
        <Table className={classes.resolvers ?? ''}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.resolver}</Table.Th>
              {resolvers !== null && <Table.Th>{t.state}</Table.Th>}
              {users !== null && <Table.Th className={classes.number}>{t.users}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {(isWhole ? rows : rows.slice(0, MAX_RESOLVERS)).map((row) => (
              <Table.Tr key={row.resolver}>
                <Table.Th scope="row">{row.resolver}</Table.Th>
                {resolvers !== null && (
                  <Table.Td>
                    <HealthCell health={row.health} />
                  </Table.Td>
                )}
                {users !== null && (
                  <Table.Td className={classes.number}>
                    <UsersCell users={row.users} />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {!isWhole && rows.length > MAX_RESOLVERS && (
        <div>
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              setWhole(true);
            }}
          >
            {t.showAll(format.number(rows.length))}
          </Button>
        </div>
      )}
    </section>
  );
}

function HealthCell({ health }: { readonly health: ResolverRow['health'] }): ReactNode {
  const t = useTexts(overviewTexts);
  const format = useFormat();
  if (health === undefined) {
    return null;
  }
  return (
    <>
      <Badge color={COLOURS[health.state]} variant="light" tt="none">
        {t.states[health.state]}
      </Badge>
      {health.kind !== 'managed' && health.succeeded_at !== null && (
        <div className={classes.meaning}>
          {t.lastAnswer}: {format.time(health.succeeded_at)}
        </div>
      )}
      {health.kind !== 'managed' && health.failed_at !== null && (
        <div className={classes.meaning}>
          {t.lastFailure}: {format.time(health.failed_at)}
        </div>
      )}
    </>
  );
}

function UsersCell({ users }: { readonly users: ResolverRow['users'] }): ReactNode {
  const t = useTexts(overviewTexts);
  const format = useFormat();
  if (users === undefined) {
    return null;
  }
  return users.users === null ? (
    t.notCounted
  ) : (
    <>
      {format.number(users.users)}
      {users.counted_at !== null && (
        <div className={classes.meaning}>{t.counted(format.time(users.counted_at))}</div>
      )}
    </>
  );
}
