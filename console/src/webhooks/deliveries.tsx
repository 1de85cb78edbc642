import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { Loaded } from '../design/loaded.tsx';
import { RecordTable } from '../design/record-table.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { webhookTexts } from './webhook-texts.ts';

const POLL_MS = 15_000;

/** The latest deliveries of a webhook that wait or were given up. */
export function Deliveries({ name }: { readonly name: string }): ReactNode {
  const t = useTexts(webhookTexts);
  const format = useFormat();
  const deliveries = useQuery({
    queryKey: ['webhooks', 'deliveries', name],
    queryFn: ({ signal }) => call('/admin/webhook/deliveries', { name }, { signal }),
    refetchInterval: POLL_MS,
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
            <RecordTable
              label={t.deliveries}
              columns={[
                [
                  t.event,
                  ({ type, occurred_at: occurred }) => (
                    <>
                      {type}
                      <Text size="sm" c="dimmed">
                        {format.time(occurred)}
                      </Text>
                    </>
                  ),
                ],
                [t.attempts, ({ attempts }) => format.number(attempts)],
                [
                  t.next,
                  ({ next_attempt_at: next, last_failure: failure }) => (
                    <>
                      {next === null ? t.givenUp : format.time(next)}
                      <Text size="sm" c="dimmed">
                        {failure}
                      </Text>
                    </>
                  ),
                ],
              ]}
              rows={all}
              keyOf={({ event_id: event }) => event}
            />
          )
        }
      </Loaded>
    </section>
  );
}
