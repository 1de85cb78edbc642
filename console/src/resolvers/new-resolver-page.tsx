import { Anchor, Radio, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useReread } from '../design/use-reread.ts';
import { useTexts } from '../language/language.ts';
import { type Draft, type ResolverKind, useResolverKinds } from './resolver-draft.ts';
import { ResolverForm } from './resolver-form.tsx';
import { resolverTexts } from './resolver-texts.ts';
import { settingTexts } from './setting-texts.ts';

/** Makes a resolver of any kind. */
export default function NewResolverPage(): ReactNode {
  const t = useTexts(resolverTexts);
  const kinds = useResolverKinds();
  return (
    <Page title={t.addTitle} lead={t.lead}>
      <Anchor href="#/resolvers">{t.back}</Anchor>
      <Loaded query={kinds}>{(all) => <NewResolver kinds={all} />}</Loaded>
    </Page>
  );
}

function NewResolver({ kinds }: { readonly kinds: readonly ResolverKind[] }): ReactNode {
  const t = useTexts(resolverTexts);
  const { kinds: names, meanings } = useTexts(settingTexts);
  const reread = useReread();
  const [, open] = useLocation();
  const [draft, setDraft] = useState<Draft>({
    name: '',
    kind: kinds[0]?.kind ?? '',
    values: {},
    removesPassword: false,
  });
  const kind = kinds.find((one) => one.kind === draft.kind);
  return (
    kind && (
      <ResolverForm
        key={kind.kind}
        kind={kind}
        draft={draft}
        onDraft={setDraft}
        stored={undefined}
        onSaved={async () => {
          await reread(['resolvers']);
          open(`/resolvers/${encodeURIComponent(draft.name.trim())}`);
        }}
      >
        <Radio.Group
          label={t.kind}
          value={draft.kind}
          onChange={(chosen) => {
            setDraft({ ...draft, kind: chosen, values: {} });
          }}
        >
          <Stack gap="xs" mt="xs">
            {kinds.map((one) => (
              <Radio
                key={one.kind}
                value={one.kind}
                label={names[one.kind] ?? one.kind}
                description={meanings[one.kind] ?? one.meaning}
              />
            ))}
          </Stack>
        </Radio.Group>
        <TextInput
          label={t.name}
          description={t.nameHint}
          required
          withAsterisk={false}
          autoComplete="off"
          value={draft.name}
          onChange={(event) => {
            setDraft({ ...draft, name: event.currentTarget.value });
          }}
        />
      </ResolverForm>
    )
  );
}
