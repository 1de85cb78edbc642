import { Badge, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import type { Overview } from '../live/live-state.ts';
import classes from './overview.module.css';
import { overviewTexts } from './overview-texts.ts';

type Health = NonNullable<Overview['resolvers']>[number];
type Users = NonNullable<Overview['users']>[number];

interface ResolverSectionProps {
  readonly resolvers: Overview['resolvers'];
  readonly users: Overview['users'];
}

const COLOURS = { available: 'green', unavailable: 'red', unknown: 'gray' } as const;

/** The resolvers with their last known health and numbers of users. */
export function ResolverSection({ resolvers, users }: ResolverSectionProps): ReactNode {
  const t = useTexts(overviewTexts);
  const usersOf = new Map(users?.map((row) => [row.resolver, row]));
  const healthOf = new Map(resolvers?.map((row) => [row.resolver, row]));
  const names = [...new Set([...healthOf.keys(), ...usersOf.keys()])].sort();
  return (
    <section className={classes.section}>
      <h2>{t.resolvers}</h2>
      {names.length === 0 ? (
        <p className={classes.meaning}>{t.noResolvers}</p>
      ) : (
        <Table.ScrollContainer minWidth={0} type="native">
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t.resolver}</Table.Th>
                {resolvers !== null && <Table.Th>{t.state}</Table.Th>}
                {users !== null && <Table.Th className={classes.number}>{t.users}</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {names.map((name) => (
                <Table.Tr key={name}>
                  <Table.Td>{name}</Table.Td>
                  {resolvers !== null && (
                    <Table.Td>
                      <HealthCell health={healthOf.get(name)} />
                    </Table.Td>
                  )}
                  {users !== null && (
                    <Table.Td className={classes.number}>
                      <UsersCell users={usersOf.get(name)} />
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </section>
  );
}

function HealthCell({ health }: { readonly health: Health | undefined }): ReactNode {
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
      {health.succeeded !== null && (
        <div className={classes.meaning}>
          {t.lastAnswer}: {format.time(health.succeeded)}
        </div>
      )}
      {health.failed !== null && (
        <div className={classes.meaning}>
          {t.lastFailure}: {format.time(health.failed)}
        </div>
      )}
    </>
  );
}

function UsersCell({ users }: { readonly users: Users | undefined }): ReactNode {
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
      {users.counted !== null && (
        <div className={classes.meaning}>{t.counted(format.time(users.counted))}</div>
      )}
    </>
  );
}
