import { Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import card from '../design/card.module.css';
import { Loaded } from '../design/loaded.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { webhookTexts } from './webhook-texts.ts';

const LOOK_MS = 15_000;

/** The latest deliveries of a webhook that wait or were given up. */
export function Deliveries({ name }: { readonly name: string }): ReactNode {
  const t = useTexts(webhookTexts);
  const format = useFormat();
  const deliveries = useQuery({
    queryKey: ['webhooks', 'deliveries', name],
    queryFn: ({ signal }) => call('/system/webhooks/deliveries', { name }, { signal }),
    refetchInterval: LOOK_MS,
  });
  return (
    <section>
      <Title order={2} size="h4">
        {t.deliveries}
      </Title>
      <Loaded query={deliveries}>
        {(all) =>
          all.length === 0 ? (
            <Text>{t.noDeliveries}</Text>
          ) : (
            <Table.ScrollContainer minWidth={0} type="native">
              <Table aria-label={t.deliveries} className={card.table}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{t.event}</Table.Th>
                    <Table.Th>{t.attempts}</Table.Th>
                    <Table.Th>{t.next}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {all.map(
                    ({ event, type, occurred, attempts, next_attempt: next, last_failure: failure }) => (
                      <Table.Tr key={event}>
                        <Table.Td>
                          {type}
                          <Text size="sm" c="dimmed">
                            {format.time(occurred)}
                          </Text>
                        </Table.Td>
                        <Table.Td>{format.number(attempts)}</Table.Td>
                        <Table.Td>
                          {next === null ? t.givenUp : format.time(next)}
                          <Text size="sm" c="dimmed">
                            {failure}
                          </Text>
                        </Table.Td>
                      </Table.Tr>
                    ),
                  )}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )
        }
      </Loaded>
    </section>
  );
}
