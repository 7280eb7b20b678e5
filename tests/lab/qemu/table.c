/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMON discovery table of a socket and its PCI function, with all errors
 * that the scenario's [discovery] section defines (README.md, "The table
 * forge").
 */
#include "model.h"
#include "qapi/error.h"
#include "exec/address-spaces.h"
#include "hw/pci/pci_bus.h"

#define BAR_SIZE_MIN        0x10000
#define RECORD_WORDS        3               /* the words of a record in use */

/* box types whose records the scenario may change */
#define NUMBER_UPI          8
#define NUMBER_M3UPI        9

/* the extended capabilities, in the order of the chain */
#define CAP_LTR             0x100           /* 8 bytes, of no interest */
#define CAP_TELEMETRY       0x110
#define CAP_PMON            0x130
#define CAP_PMON2           0x150
#define CAP_GARBAGE         0xa00
#define CAP_ID_LTR          0x18
#define CAP_ID_DVSEC        0x23
#define ENTRY_PMON          1
#define ENTRY_TELEMETRY     2

enum { CHAIN_OK, CHAIN_BROKEN, CHAIN_MISALIGNED, CHAIN_LOW, CHAIN_LOOP,
       CHAIN_SELF };
static const char *const chain_names[] = {
    "ok", "broken", "misaligned", "low", "loop", "self", NULL
};
enum { BAR_64, BAR_32, BAR_IO, BAR_BAD };
static const char *const bar_names[] = { "64", "32", "io", "bad", NULL };
enum { UPI_RIGHT, UPI_WRONG, UPI_ABSENT, UPI_TWICE };
static const char *const upi_names[] = {
    "right", "wrong", "absent", "twice", NULL
};
enum { DECODE_YES, DECODE_NO, DECODE_NEVER };
static const char *const decode_names[] = { "yes", "no", "never", NULL };

typedef enum { PATCH_GLOBAL, PATCH_RECORD, PATCH_CONFIG } PatchKind;

typedef struct Patch {
    PatchKind kind;
    unsigned record, word;      /* CONFIG: word is the offset */
    uint64_t value;
    bool pointed;               /* in the table that an MSR points to */
} Patch;

/* records that a table can have */
typedef enum {
    TABLE_FIRST,
    TABLE_SECOND,               /* second-table */
    TABLE_POINTED,
} Which;

typedef struct Append {
    uint64_t word[RECORD_WORDS];
} Append;

struct UcoreForgery {
    bool dvsec, asleep, prefetchable, second_table, chain_before, telemetry;
    unsigned chain, bar, bar_type, upi, memory_decode;
    unsigned bar_size, offset, stride, max_units;
    bool has_max_units;
    GArray *patches, *appends;
    bool decode_refused;
    bool msr_faults, has_msr_value;
    uint64_t msr_value;
};

typedef struct Table {
    uint8_t *bytes;
    size_t size;
    unsigned offset;            /* in the BAR */
    MemoryRegion bar;
    bool asleep;
} Table;

/* -------------------------------------------------------------- scenario */

static bool parse_u64(const char *text, uint64_t *val)
{
    char *end;

    *val = g_ascii_strtoull(text, &end, 0);
    return end != text && !*end;
}

static bool parse_unsigned(const char *text, unsigned *val)
{
    uint64_t wide;

    if (!text || !parse_u64(text, &wide) || wide > UINT16_MAX) {
        return false;
    }
    *val = wide;
    return true;
}

/* global.WORD, record.N.WORD, pointed.these, config.OFFSET, append.N */
static bool parse_patch(UcoreForgery *f, const char *key, const char *text)
{
    bool pointed = g_str_has_prefix(key, "pointed.");
    g_auto(GStrv) part = g_strsplit(key + (pointed ? strlen("pointed.") : 0),
                                    ".", 0);
    unsigned n = g_strv_length(part);
    Patch p = { .pointed = pointed };
    g_auto(GStrv) words = NULL;

    if (!strcmp(part[0], "append") && n == 2) {
        Append a = { };

        words = g_strsplit(text, " ", 0);
        for (unsigned i = 0; i < RECORD_WORDS; i++) {
            if (i >= g_strv_length(words) || !parse_u64(words[i], &a.word[i])) {
                return false;
            }
        }
        g_array_append_val(f->appends, a);
        return true;
    }
    if (!strcmp(part[0], "record") && n == 3) {
        p.kind = PATCH_RECORD;
        if (!parse_unsigned(part[1], &p.record) || !p.record) {
            return false;
        }
    } else if (!strcmp(part[0], "global") && n == 2) {
        p.kind = PATCH_GLOBAL;
    } else if (!strcmp(part[0], "config") && n == 2) {
        p.kind = PATCH_CONFIG;
    } else {
        return false;
    }
    if (!parse_unsigned(part[n - 1], &p.word) || !parse_u64(text, &p.value) ||
        (p.kind == PATCH_CONFIG &&
         (p.word & 3 || p.word >= PCIE_CONFIG_SPACE_SIZE))) {
        return false;
    }
    g_array_append_val(f->patches, p);
    return true;
}

/* Return true for a key of all sockets, parsed by scenario.c */
static bool is_common(const char *key)
{
    return !strcmp(key, "cha-count") || !strcmp(key, "global-access") ||
           !strcmp(key, "status-offset") || !strcmp(key, "table-msr");
}

static bool is_option(const char *key)
{
    static const char *const options[] = {
        "dvsec", "chain", "chain-at", "bar", "bar-type", "prefetchable",
        "bar-size", "offset", "stride", "max-units", "asleep",
        "memory-decode", "upi-table", "second-table", "msr-faults",
        "msr-value", "telemetry", NULL
    };

    return g_strv_contains(options, key);
}

static bool load_patches(UcoreForgery *f, GKeyFile *kf, Error **errp)
{
    g_auto(GStrv) keys = g_key_file_get_keys(kf, "discovery", NULL, NULL);

    f->patches = g_array_new(false, true, sizeof(Patch));
    f->appends = g_array_new(false, true, sizeof(Append));
    for (unsigned i = 0; keys && keys[i]; i++) {
        g_autofree char *text = g_key_file_get_string(kf, "discovery", keys[i],
                                                      NULL);

        if (!is_option(keys[i]) && !parse_patch(f, keys[i], text)) {
            error_setg(errp, "ucore: scenario: [discovery] %s = %s", keys[i],
                       text);
            return false;
        }
    }
    return true;
}

static bool check_bar(const UcoreForgery *f, Error **errp)
{
    unsigned wide = f->bar_type == BAR_64;
    bool another = f->second_table || f->telemetry;

    if (f->bar + wide + 2 * another > 5 || (f->second_table && f->telemetry)) {
        error_setg(errp, "ucore: scenario: [discovery] bar = %u: no room",
                   f->bar);
        return false;
    }
    if ((f->bar_size & (f->bar_size - 1)) || f->offset % 8 ||
        (f->bar_size && f->offset >= f->bar_size)) {
        error_setg(errp, "ucore: scenario: [discovery]: bar-size must be a "
                   "power of 2, offset a multiple of 8 inside");
        return false;
    }
    return true;
}

static bool load_msr_value(UcoreForgery *f, GKeyFile *kf, Error **errp)
{
    g_autofree char *text = g_key_file_get_string(kf, "discovery", "msr-value",
                                                  NULL);

    f->has_msr_value = text;
    if (text && !parse_u64(text, &f->msr_value)) {
        error_setg(errp, "ucore: scenario: [discovery] msr-value = %s", text);
        return false;
    }
    return true;
}

static bool load(UcoreForgery *f, GKeyFile *kf, Error **errp)
{
    static const char *const at_names[] = { "after", "before", NULL };
    static const char *const second_names[] = { "no", "yes", "own", NULL };
    const char *group = "discovery";
    unsigned at = 0, second = 0;

    f->dvsec = true;
    f->stride = 4;
    f->has_max_units = g_key_file_has_key(kf, group, "max-units", NULL);
    if (!(ucore_scenario_bool(kf, group, "dvsec", &f->dvsec, errp) &&
          ucore_scenario_bool(kf, group, "asleep", &f->asleep, errp) &&
          ucore_scenario_bool(kf, group, "prefetchable", &f->prefetchable,
                              errp) &&
          ucore_scenario_choice(kf, group, "second-table", second_names,
                                &second, errp) &&
          ucore_scenario_bool(kf, group, "telemetry", &f->telemetry, errp) &&
          ucore_scenario_bool(kf, group, "msr-faults", &f->msr_faults, errp) &&
          load_msr_value(f, kf, errp) &&
          ucore_scenario_choice(kf, group, "chain", chain_names, &f->chain,
                                errp) &&
          ucore_scenario_choice(kf, group, "chain-at", at_names, &at, errp) &&
          ucore_scenario_choice(kf, group, "bar-type", bar_names,
                                &f->bar_type, errp) &&
          ucore_scenario_choice(kf, group, "upi-table", upi_names, &f->upi,
                                errp) &&
          ucore_scenario_choice(kf, group, "memory-decode", decode_names,
                                &f->memory_decode, errp) &&
          ucore_scenario_uint(kf, group, "bar", 5, &f->bar, errp) &&
          ucore_scenario_uint(kf, group, "bar-size", 1 << 30, &f->bar_size,
                              errp) &&
          ucore_scenario_uint(kf, group, "offset", 1 << 29, &f->offset,
                              errp) &&
          ucore_scenario_uint(kf, group, "stride", 255, &f->stride, errp) &&
          ucore_scenario_uint(kf, group, "max-units", 1023, &f->max_units,
                              errp))) {
        return false;
    }
    f->chain_before = at;
    f->second_table = second;
    return load_patches(f, kf, errp) && check_bar(f, errp);
}

/* Return the keys of a socket: first those without a socket, then "S:key". */
static GKeyFile *keys_of(GKeyFile *kf, unsigned socket)
{
    g_auto(GStrv) keys = g_key_file_get_keys(kf, "discovery", NULL, NULL);
    g_autofree char *prefix = g_strdup_printf("%u:", socket);
    GKeyFile *own = g_key_file_new();

    for (unsigned pass = 0; keys && pass < 2; pass++) {
        for (unsigned i = 0; keys[i]; i++) {
            g_autofree char *text = g_key_file_get_value(kf, "discovery",
                                                         keys[i], NULL);
            const char *key = keys[i];

            if (pass && g_str_has_prefix(key, prefix)) {
                key += strlen(prefix);
            } else if (pass || strchr(key, ':') || is_common(key)) {
                continue;
            }
            g_key_file_set_value(own, "discovery", key, text);
        }
    }
    return own;
}

bool ucore_table_load(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    for (unsigned s = 0; s < cfg->sockets; s++) {
        g_autoptr(GKeyFile) own = keys_of(kf, s);

        cfg->forgery[s] = g_new0(UcoreForgery, 1);
        if (!load(cfg->forgery[s], own, errp)) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------- generation */

static UcoreForgery *forgery(const UcoreSocket *s)
{
    return s->machine->config.forgery[s->id];
}

static bool is_upi(const UcoreBox *box)
{
    return box->site->unit.number == NUMBER_UPI ||
           box->site->unit.number == NUMBER_M3UPI;
}

/* Return the low bits of @val at bits @last to @first of a word. */
static uint64_t bits(unsigned last, unsigned first, uint64_t val)
{
    return deposit64(0, first, last - first + 1, val);
}

/* the address of a register in config space */
static uint64_t config_address(unsigned bus, unsigned slot, unsigned function,
                               unsigned offset)
{
    return bits(27, 20, bus) | bits(19, 15, slot) | bits(14, 12, function) |
           bits(11, 0, offset);
}

static uint64_t unit_address(const UcoreBox *box)
{
    if (box->access != UCORE_ACCESS_PCI) {
        return box->base;
    }
    return config_address(ucore_pci_bus_number(box->socket, box->bus), PCI_SLOT(box->devfn), PCI_FUNC(box->devfn),
                          box->base);
}

/*
 * The records of links on an MCC die: that of the last link is 0, and the one
 * before has the words of the first.
 */
static void put_twice(const UcoreBox *box, unsigned last, uint64_t *word)
{
    if (box->instance == last) {
        memset(word, 0, RECORD_WORDS * sizeof(*word));
    } else if (box->instance + 1 == last) {
        word[1] = unit_address(box) - (box->instance << 15);
        word[2] = deposit64(word[2], 16, 16, 0);
    }
}

/* Return the highest instance of the box's type. */
static unsigned last_instance(const UcoreBox *box)
{
    const UcoreSocket *s = box->socket;
    unsigned last = 0;

    for (unsigned b = 0; b < s->nr_boxes; b++) {
        if (s->boxes[b]->type == box->type) {
            last = MAX(last, s->boxes[b]->instance);
        }
    }
    return last;
}

static void put_unit(const UcoreForgery *f, const UcoreBox *box,
                     uint64_t *word)
{
    const UcoreConfig *cfg = &box->socket->machine->config;
    const UcoreUnitSite *u = &box->site->unit;

    word[0] = bits(7, 0, box->type->nr_gp) | bits(15, 8, u->ctl) |
              bits(23, 16, box->type->width) | bits(31, 24, u->ctr) |
              bits(39, 32, u->status) | bits(63, 62, box->access);
    word[1] = unit_address(box);
    word[2] = bits(15, 0, u->number) | bits(31, 16, box->instance) |
              bits(47, 32, box->global_bit -
                   64 * ucore_global_of(cfg, u) * cfg->status_words);
    if (is_upi(box) && f->upi == UPI_WRONG) {
        word[1] = config_address(0, 31, 0, 0x40);
    } else if (is_upi(box) && f->upi == UPI_TWICE) {
        put_twice(box, last_instance(box), word);
    }
}

static bool wanted(const UcoreForgery *f, const UcoreBox *box, Which which)
{
    const UcoreConfig *cfg = &box->socket->machine->config;
    bool pointed = ucore_table_by_msr(cfg) ||
                   (!cfg->second_own && ucore_global_of(cfg, &box->site->unit));

    if ((is_upi(box) && f->upi == UPI_ABSENT) ||
        pointed != (which == TABLE_POINTED)) {
        return false;
    }
    return pointed || !f->second_table ||
           (box->access == UCORE_ACCESS_MMIO) == (which == TABLE_SECOND);
}

static uint64_t global_address(const UcoreSocket *s, unsigned global)
{
    if (s->global[global].access != UCORE_ACCESS_PCI) {
        return s->global[global].base;
    }
    return config_address(ucore_pci_bus_number(s, UCORE_BUS_UNCORE), UCORE_SLOT_SYSTEM, UCORE_FUNCTION_GLOBAL,
                          s->global[global].base);
}

static void put_global(const UcoreSocket *s, unsigned units, Which which,
                       uint64_t *word)
{
    const UcoreConfig *cfg = &s->machine->config;
    const UcoreForgery *f = forgery(s);
    unsigned g = cfg->globals > 1 &&
                 which == (cfg->second_own ? TABLE_SECOND : TABLE_POINTED);

    word[0] = bits(15, 8, f->stride) |
              bits(25, 16, f->has_max_units && !g ? f->max_units : units) |
              bits(63, 62, s->global[g].access);
    word[1] = global_address(s, g);
    word[2] = bits(7, 0, g ? 8 : cfg->status_offset) |
              bits(23, 8, cfg->status_bits[g]);
}

static void apply_patches(const UcoreSocket *s, GArray *records, bool pointed)
{
    const UcoreForgery *f = forgery(s);

    for (unsigned i = 0; i < f->patches->len; i++) {
        const Patch *p = &g_array_index(f->patches, Patch, i);
        unsigned record = p->kind == PATCH_GLOBAL ? 0 : p->record;
        unsigned at = record * f->stride + p->word;

        if (p->kind != PATCH_CONFIG && p->pointed == pointed &&
            p->word < f->stride && at < records->len) {
            g_array_index(records, uint64_t, at) = p->value;
        }
    }
}

/* a stride below three cuts the records short */
static void append(GArray *records, const UcoreForgery *f,
                   const uint64_t *word)
{
    uint64_t zero = 0;

    for (unsigned i = 0; i < f->stride; i++) {
        g_array_append_vals(records, i < RECORD_WORDS ? &word[i] : &zero, 1);
    }
}

/* the words of a table, little endian */
static GArray *generate(const UcoreSocket *s, Which which)
{
    const UcoreForgery *f = forgery(s);
    GArray *records = g_array_new(false, true, sizeof(uint64_t));
    uint64_t word[RECORD_WORDS] = { };
    unsigned units = 0;

    append(records, f, word);
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        if (wanted(f, s->boxes[b], which)) {
            put_unit(f, s->boxes[b], word);
            append(records, f, word);
            units++;
        }
    }
    for (unsigned i = 0; which == TABLE_FIRST && i < f->appends->len; i++) {
        append(records, f, g_array_index(f->appends, Append, i).word);
        units++;
    }
    put_global(s, units, which, word);
    for (unsigned i = 0; i < MIN(f->stride, RECORD_WORDS); i++) {
        g_array_index(records, uint64_t, i) = word[i];
    }
    if (which != TABLE_SECOND) {
        apply_patches(s, records, which == TABLE_POINTED);
    }
    for (unsigned i = 0; i < records->len; i++) {
        uint64_t *w = &g_array_index(records, uint64_t, i);

        *w = cpu_to_le64(*w);
    }
    return records;
}

/* ------------------------------------------------------------- the function */

static uint64_t table_read(void *opaque, hwaddr addr, unsigned size)
{
    const Table *t = opaque;
    uint64_t val = 0;

    if (t->asleep) {
        return MAKE_64BIT_MASK(0, size * 8);
    }
    if (addr >= t->offset && addr - t->offset + size <= t->size) {
        memcpy(&val, t->bytes + addr - t->offset, size);
    }
    return le64_to_cpu(val);
}

static void table_write(void *opaque, hwaddr addr, uint64_t val, unsigned size)
{
    ucore_violation(ucore, "read-only", "discovery table written at 0x%"
                    PRIx64, (uint64_t)addr);
}

static const MemoryRegionOps table_ops = {
    .read = table_read,
    .write = table_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 8 },
};

static void table_bar(PCIDevice *pd, const UcoreSocket *s, unsigned bar,
                      unsigned offset, Which which)
{
    static const uint8_t types[] = {
        [BAR_64] = PCI_BASE_ADDRESS_MEM_TYPE_64,
        [BAR_32] = PCI_BASE_ADDRESS_MEM_TYPE_32,
        [BAR_IO] = PCI_BASE_ADDRESS_SPACE_IO,
        [BAR_BAD] = PCI_BASE_ADDRESS_MEM_TYPE_1M,
    };
    const UcoreForgery *f = forgery(s);
    GArray *records = generate(s, which);
    uint8_t type = types[f->bar_type];
    Table *t = g_new0(Table, 1);
    uint64_t size;

    t->asleep = f->asleep;
    t->offset = offset;
    t->size = records->len * sizeof(uint64_t);
    t->bytes = (uint8_t *)g_array_free(records, false);
    size = f->bar_size ?: MAX(BAR_SIZE_MIN, pow2ceil(offset + t->size));
    if (f->bar_type == BAR_IO) {
        size = MIN(size, 0x100);
    } else if (f->prefetchable) {
        type |= PCI_BASE_ADDRESS_MEM_PREFETCH;
    }
    memory_region_init_io(&t->bar, OBJECT(pd), &table_ops, t, "ucore-table",
                          size);
    pci_register_bar(pd, bar, type, &t->bar);
}

/* Add the BAR that the telemetry DVSEC names. It reads 0. */
static void telemetry_bar(PCIDevice *pd, unsigned bar)
{
    Table *t = g_new0(Table, 1);

    memory_region_init_io(&t->bar, OBJECT(pd), &table_ops, t,
                          "ucore-telemetry", BAR_SIZE_MIN);
    pci_register_bar(pd, bar, PCI_BASE_ADDRESS_MEM_TYPE_32, &t->bar);
}

/* ------------------------------------------------- behind an MSR, no function */

/* in the socket's window; client: in the window of MCHBAR */
#define POINTED_TABLE       0x3fe00000
#define CLIENT_TABLE        0x30000

static uint64_t table_address(const UcoreSocket *s)
{
    return ucore_mmio_window(s) +
           (s->machine->config.platform->host_bridge ? CLIENT_TABLE
                                                     : POINTED_TABLE);
}

void ucore_table_map(UcoreSocket *s)
{
    GArray *records = generate(s, TABLE_POINTED);
    Table *t = g_new0(Table, 1);

    t->size = records->len * sizeof(uint64_t);
    t->bytes = (uint8_t *)g_array_free(records, false);
    memory_region_init_io(&t->bar, NULL, &table_ops, t, "ucore-pointed-table",
                          MAX(BAR_SIZE_MIN, pow2ceil(t->size)));
    memory_region_add_subregion_overlap(get_system_memory(),
                                        table_address(s), &t->bar, 1);
}

bool ucore_table_pointer(const UcoreSocket *s, uint64_t *val)
{
    const UcoreForgery *f = forgery(s);

    *val = f->has_msr_value ? f->msr_value : table_address(s);
    return !f->msr_faults;
}

/* --------------------------------------------------------------- capabilities */

static void put_cap(PCIDevice *pd, unsigned at, unsigned id, unsigned next)
{
    pci_set_long(pd->config + at,
                 bits(31, 20, next) | bits(19, 16, 1) | bits(15, 0, id));
}

static void put_dvsec(PCIDevice *pd, unsigned at, unsigned entry,
                      unsigned next, uint32_t table)
{
    put_cap(pd, at, CAP_ID_DVSEC, next);
    /* its length, its revision */
    pci_set_long(pd->config + at + 0x4, bits(31, 20, 0x10) | bits(19, 16, 1) |
                 bits(15, 0, PCI_VENDOR_ID_INTEL));
    /* one entry of four dwords */
    pci_set_long(pd->config + at + 0x8, bits(31, 24, 4) | bits(23, 16, 1) |
                 bits(15, 0, entry));
    /* number of the BAR in bits 2:0, offset in the BAR above */
    pci_set_long(pd->config + at + 0xc, table);
}

/*
 * Return the target of the link that the scenario breaks; @next: the correct
 * target
 */
static unsigned wrong_link(const UcoreForgery *f, unsigned from, unsigned next)
{
    switch (f->chain) {
    case CHAIN_BROKEN:
        return CAP_GARBAGE;
    case CHAIN_MISALIGNED:
        return next ? next + 2 : CAP_GARBAGE + 2;
    case CHAIN_LOW:
        return 0x40;
    case CHAIN_LOOP:
        return CAP_LTR;
    case CHAIN_SELF:
        return from;
    default:
        return next;
    }
}

/* Return the BAR after that of the table. */
static unsigned next_bar(const UcoreForgery *f)
{
    return f->bar + (f->bar_type == BAR_64 ? 2 : 1);
}

static void put_chain(PCIDevice *pd, const UcoreForgery *f)
{
    unsigned last = f->second_table ? CAP_PMON2 : CAP_PMON;
    unsigned after_telemetry = f->dvsec ? CAP_PMON : 0, after_last = 0;

    if (f->chain_before || !f->dvsec) {
        after_telemetry = wrong_link(f, CAP_TELEMETRY, after_telemetry);
    } else {
        after_last = wrong_link(f, last, 0);
    }
    put_cap(pd, CAP_LTR, CAP_ID_LTR, CAP_TELEMETRY);
    put_dvsec(pd, CAP_TELEMETRY, ENTRY_TELEMETRY, after_telemetry,
              f->telemetry ? next_bar(f) : 0);
    if (!f->dvsec) {
        return;
    }
    put_dvsec(pd, CAP_PMON, ENTRY_PMON,
              f->second_table ? CAP_PMON2 : after_last, f->bar | f->offset);
    if (f->second_table) {
        put_dvsec(pd, CAP_PMON2, ENTRY_PMON, after_last, next_bar(f));
    }
    if (f->chain == CHAIN_BROKEN) {
        pci_set_long(pd->config + CAP_GARBAGE, 0xdeadbeef);
    }
}

void ucore_table_attach(PCIDevice *pd, UcoreSocket *s, Error **errp)
{
    const UcoreForgery *f = forgery(s);

    table_bar(pd, s, f->bar, f->offset, TABLE_FIRST);
    if (f->second_table) {
        table_bar(pd, s, next_bar(f), 0, TABLE_SECOND);
    }
    if (f->telemetry) {
        telemetry_bar(pd, next_bar(f));
    }
    put_chain(pd, f);
    for (unsigned i = 0; i < f->patches->len; i++) {
        const Patch *p = &g_array_index(f->patches, Patch, i);

        if (p->kind == PATCH_CONFIG) {
            pci_set_long(pd->config + p->word, p->value);
        }
    }
}

/*
 * Ignore the first write that enables memory decoding, which is the firmware's,
 * or all such writes, as the scenario selects.
 */
uint32_t ucore_table_filter_command(UcoreSocket *s, uint32_t val)
{
    UcoreForgery *f = forgery(s);

    if (!(val & PCI_COMMAND_MEMORY) || f->memory_decode == DECODE_YES ||
        (f->memory_decode == DECODE_NO && f->decode_refused)) {
        return val;
    }
    f->decode_refused = true;
    return val & ~PCI_COMMAND_MEMORY;
}
