import { posix } from 'node:path'
import { Converter, OptionDefaults } from 'typedoc'
import manifest from '../package.json' with { type: 'json' }

/** The name of each import, by its source: `plant-store/node` by `adapters/node`. */
const modules = new Map(
  Object.entries(manifest.exports).flatMap(([name, { default: file }]) =>
    file ? [[file.slice('./dist/'.length, -'.js'.length), posix.join('plant-store', name)]] : [],
  ),
)

/** Names each module, and so its page, as it is imported. */
function nameModules({ converter }) {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children) {
      // typedoc calls src/index.ts `src`.
      module.name = modules.get(module.name) ?? modules.get(`${module.name}/index`)
    }
  })
}

export default {
  entryPoints: [...modules.keys()].map((source) => `../${source}.ts`),
  tsconfig: '../tsconfig.build.json',
  plugin: ['typedoc-plugin-markdown', nameModules],
  router: 'module',
  out: 'reference/api',
  entryFileName: 'index',
  name: 'API reference',
  readme: 'none',
  // For the compiler, in declarations too.
  blockTags: [...OptionDefaults.blockTags, '@ts-ignore'],
  excludeTags: [...OptionDefaults.excludeTags, '@ts-ignore'],
  excludeInternal: true,
  excludeExternals: true,
  disableSources: true,
  groupOrder: ['Functions', 'Classes', 'Variables', '*'],
  sortEntryPoints: false,
  indexFormat: 'table',
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  // A phone has no room for more than the type and the description, which says the default.
  tableColumnSettings: {
    hideDefaults: true,
    hideInherited: true,
    hideModifiers: true,
    hideOverrides: true,
  },
  // Otherwise a link to PlantStoreErrorCode leads to the member code of PlantStoreError.
  useHTMLAnchors: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  // A type that is used and not exported is shown where it is used.
  validation: { notExported: false },
  treatWarningsAsErrors: true,
  logLevel: 'Warn',
}
