/**
 * The languages that are split by their definitions. A query of tree-sitter finds them: the capture that is not `name` or
 * `parent` is the definition, and its name is the kind.
 */

export interface Language {
  /** The name of its grammar in @vscode/tree-sitter-wasm. */
  readonly grammar: string
  readonly query: string
}

const javascript = `
  (function_declaration name: (_) @name) @function
  (generator_function_declaration name: (_) @name) @function
  (class_declaration name: (_) @name) @class
  (method_definition name: (_) @name) @method
  (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (class)]) @function
  (program (lexical_declaration (variable_declarator name: (identifier) @name)) @constant)
  (program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @constant))
  (pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @function
  (assignment_expression left: (member_expression property: (property_identifier) @name)
    right: [(arrow_function) (function_expression) (class)]) @function
`

const typescript = `
  (function_declaration name: (_) @name) @function
  (generator_function_declaration name: (_) @name) @function
  (function_signature name: (_) @name) @function
  (class_declaration name: (_) @name) @class
  (abstract_class_declaration name: (_) @name) @class
  (interface_declaration name: (_) @name) @interface
  (type_alias_declaration name: (_) @name) @type
  (enum_declaration name: (_) @name) @enum
  (internal_module name: (_) @name) @namespace
  (module name: (_) @name) @namespace
  (method_definition name: (_) @name) @method
  (abstract_method_signature name: (_) @name) @method
  (interface_body (method_signature name: (_) @name) @method)
  (public_field_definition name: (_) @name value: (arrow_function)) @method
  (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (class)]) @function
  (program (lexical_declaration (variable_declarator name: (identifier) @name)) @constant)
  (program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @constant))
  (pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @function
`

const python = `
  (class_definition name: (identifier) @name) @class
  (function_definition name: (identifier) @name) @function
  (module (expression_statement (assignment left: (identifier) @name)) @constant)
`

const go = `
  (function_declaration name: (identifier) @name) @function
  (method_declaration
    receiver: (parameter_list (parameter_declaration type: [
      (type_identifier) @parent
      (pointer_type (type_identifier) @parent)
      (generic_type (type_identifier) @parent)
      (pointer_type (generic_type (type_identifier) @parent))
    ]))
    name: (field_identifier) @name) @method
  (type_declaration (type_spec name: (type_identifier) @name)) @type
  (source_file (const_declaration (const_spec name: (identifier) @name)) @constant)
  (source_file (var_declaration (var_spec name: (identifier) @name)) @constant)
`

const rust = `
  (function_item name: (_) @name) @function
  (function_signature_item name: (_) @name) @function
  (struct_item name: (_) @name) @struct
  (enum_item name: (_) @name) @enum
  (union_item name: (_) @name) @struct
  (trait_item name: (_) @name) @trait
  (impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @impl
  (type_item name: (_) @name) @type
  (mod_item name: (_) @name body: (_)) @namespace
  (macro_definition name: (_) @name) @macro
  (const_item name: (_) @name) @constant
  (static_item name: (_) @name) @constant
`

const java = `
  (class_declaration name: (_) @name) @class
  (interface_declaration name: (_) @name) @interface
  (enum_declaration name: (_) @name) @enum
  (record_declaration name: (_) @name) @class
  (annotation_type_declaration name: (_) @name) @interface
  (method_declaration name: (_) @name) @method
  (constructor_declaration name: (_) @name) @method
`

const csharp = `
  (namespace_declaration name: (_) @name) @namespace
  (class_declaration name: (_) @name) @class
  (struct_declaration name: (_) @name) @struct
  (record_declaration name: (_) @name) @class
  (interface_declaration name: (_) @name) @interface
  (enum_declaration name: (_) @name) @enum
  (method_declaration name: (_) @name) @method
  (constructor_declaration name: (_) @name) @method
  (property_declaration name: (_) @name) @property
`

const cpp = `
  (function_definition declarator: (function_declarator declarator: (_) @name)) @function
  (function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) @function
  (function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function
  (class_specifier name: (_) @name body: (_)) @class
  (struct_specifier name: (_) @name body: (_)) @struct
  (union_specifier name: (_) @name body: (_)) @struct
  (enum_specifier name: (_) @name body: (_)) @enum
  (namespace_definition name: (_) @name) @namespace
  (type_definition declarator: (type_identifier) @name) @type
  (preproc_function_def name: (_) @name) @macro
  (preproc_def name: (_) @name) @macro
`

const ruby = `
  (class name: (_) @name) @class
  (module name: (_) @name) @namespace
  (method name: (_) @name) @method
  (singleton_method name: (_) @name) @method
`

const php = `
  (function_definition name: (_) @name) @function
  (class_declaration name: (_) @name) @class
  (interface_declaration name: (_) @name) @interface
  (trait_declaration name: (_) @name) @trait
  (enum_declaration name: (_) @name) @enum
  (method_declaration name: (_) @name) @method
`

const bash = `(function_definition name: (_) @name) @function`
const powershell = `
  (function_statement (function_name) @name) @function
  (class_statement (simple_name) @name) @class
`
const css = `
  (rule_set (selectors) @name) @rule
  (keyframes_statement (keyframes_name) @name) @rule
`
const ini = `(section (section_name) @name) @section`

const byExtension: Readonly<Record<string, Language>> = {
  ...all('javascript', javascript, 'js', 'jsx', 'mjs', 'cjs'),
  ...all('typescript', typescript, 'ts', 'mts', 'cts'),
  ...all('tsx', typescript, 'tsx'),
  ...all('python', python, 'py', 'pyi', 'pyw'),
  ...all('go', go, 'go'),
  ...all('rust', rust, 'rs'),
  ...all('java', java, 'java'),
  ...all('c-sharp', csharp, 'cs'),
  ...all('cpp', cpp, 'c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx', 'inl'),
  ...all('ruby', ruby, 'rb', 'rake', 'gemspec'),
  ...all('php', php, 'php'),
  ...all('bash', bash, 'sh', 'bash', 'zsh'),
  ...all('powershell', powershell, 'ps1', 'psm1'),
  ...all('css', css, 'css'),
  ...all('ini', ini, 'ini', 'cfg', 'conf'),
}

function all(grammar: string, query: string, ...extensions: readonly string[]): Record<string, Language> {
  const language = { grammar, query }
  return Object.fromEntries(extensions.map((extension) => [extension, language]))
}

export const languages: readonly Language[] = [...new Set(Object.values(byExtension))]

export function languageOf(path: string): Language | undefined {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined
}
