import { Alert, Button, List } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ValueOf } from '../api/call.ts';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { explainTexts } from './explain-texts.ts';

type Answer = ValueOf<'/system/explainPolicy'>;

interface RefusalProps {
  readonly answer: Answer & { readonly refusal: NonNullable<Answer['refusal']> };
}

/** The policies that would give the right with one action more, each with the way to it. */
function Remedies({ refusal: { right, remedies } }: Pick<RefusalProps['answer'], 'refusal'>): ReactNode {
  const t = useTexts(explainTexts);
  const mayWrite = useSession().may('system', 'write');
  const [, action = ''] = right?.split(':') ?? [];
  return (
    remedies.length > 0 && (
      <>
        <p>{t.remedies}</p>
        <List size="sm">
          {remedies.map((policy) => (
            <List.Item key={policy}>
              {t.remedy(action, policy)}{' '}
              {mayWrite && (
                <Button
                  size="compact-sm"
                  variant="default"
                  component={Link}
                  href={`/policies/edit/${encodeURIComponent(policy)}/with/${encodeURIComponent(action)}`}
                >
                  {t.toPolicy(policy)}
                </Button>
              )}
            </List.Item>
          ))}
        </List>
      </>
    )
  );
}

/** The refused request, and whether the policies are still those of then. */
export function Refusal({ answer: { refusal, administrator, client, changes } }: RefusalProps): ReactNode {
  const t = useTexts(explainTexts);
  const format = useFormat();
  return (
    <Alert
      color="blue"
      title={t.wasRefused(refusal.endpoint, administrator ?? '', client, format.time(refusal.time))}
    >
      {refusal.api_token && <p>{t.apiToken}</p>}
      <Remedies refusal={refusal} />
      {refusal.right === null && <p>{t.unnamed}</p>}
      <p>
        {t.asNow} {changes === null ? t.unseen : changes.length === 0 ? t.unchanged : t.changed}
      </p>
      {changes !== null && changes.length > 0 && (
        <List size="sm">
          {changes.map(({ policy, kind, administrator: by, time }) => (
            <List.Item key={`${policy} ${time}`}>{t.change(policy, kind, by, format.time(time))}</List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}
