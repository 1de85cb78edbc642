import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { call } from '../api/call.ts';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { editorTexts } from './editor-texts.ts';
import { PolicyEditor } from './policy-editor.tsx';
import { storedPolicy } from './use-policy-save.ts';

/** The editor of a new policy, or of a stored one. */
export default function PolicyEditorPage(): ReactNode {
  const t = useTexts(editorTexts);
  const { name, action } = useParams<{ name?: string; action?: string }>();
  const mayWrite = useSession().may('system', 'write');
  const names = useQuery({
    queryKey: ['policy-names'],
    queryFn: ({ signal }) => call('/admin/policy/names', {}, { signal }),
  });
  const stored = useQuery({
    queryKey: ['policies', 'edited', name ?? null],
    queryFn: ({ signal }) => (name === undefined ? null : storedPolicy(name, signal)),
    // What is being typed is kept; the server notices changes of others when it is saved.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <Page
      title={name === undefined ? t.newTitle : t.editTitle(name)}
      lead={mayWrite ? undefined : t.readOnly}
      actions={
        <Anchor component={Link} href="/policies">
          {t.back}
        </Anchor>
      }
    >
      <Loaded query={names}>
        {(known) => (
          <Loaded query={stored}>
            {(policy) =>
              name !== undefined && policy === null ? (
                <p>{t.unknown(name)}</p>
              ) : (
                <PolicyEditor names={known} stored={policy} mayWrite={mayWrite} added={action} />
              )
            }
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}
