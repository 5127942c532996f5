// Modules, kernels and launches.
#include "runtime/Internal.h"
#include <algorithm>

using namespace tessera::runtime;

TessModuleObject::~TessModuleObject() = default;

namespace {
TessStatus requireTexts(const char *list, const char *const *texts, int32_t count) {
  if (count < 0 || (count > 0 && !texts))
    return fail(TESS_ERROR_ARGUMENT, "tessModuleLoad: %d %s at %p", count, list, static_cast<const void *>(texts));
  for (int32_t i = 0; i < count; ++i)
    if (!texts[i]) return fail(TESS_ERROR_ARGUMENT, "tessModuleLoad: text %d of the %s is NULL", i, list);
  return TESS_OK;
}
}  // namespace

extern "C" {

TessStatus tessModuleLoad(TessContext context, TessModuleFormat format, const void *data, size_t bytes,
                          const TessModuleOptions *options, TessModule *module) {
  return guarded([&] {
    if (TessStatus status = requireStarted()) return status;
    if (TessStatus status = requireLive(context, "tessModuleLoad")) return status;
    if (!data || !module) return fail(TESS_ERROR_ARGUMENT, "tessModuleLoad: %s is NULL", !data ? "data" : "module");
    *module = nullptr;
    if (format < TESS_MODULE_BINARY || format > TESS_MODULE_SOURCE)
      return fail(TESS_ERROR_ARGUMENT, "tessModuleLoad: %d is no TessModuleFormat", static_cast<int>(format));
    if (options) {
      if (TessStatus status = requireTexts("compile_options", options->compile_options, options->compile_option_count)) return status;
      if (TessStatus status = requireTexts("kernel_names", options->kernel_names, options->kernel_name_count)) return status;
    }
    auto made = std::make_unique<TessModuleObject>();
    made->context = context;
    if (TessStatus status = context->device->load(format, data, bytes, options, made->code)) return status;
    std::lock_guard lock(context->mutex);
    *module = handleOf(made.get());
    context->modules.push_back(std::move(made));
    return TessStatus(TESS_OK);
  });
}

TessStatus tessModuleUnload(TessModule module) {
  return guarded([&] {
    if (!module) return TessStatus(TESS_OK);
    if (TessStatus status = requireLive(module, "tessModuleUnload")) return status;
    TessContext context = module->context;
    if (TessStatus status = context->device->synchronizeAll()) return status;
    std::unique_ptr<TessModuleObject> dying;
    std::lock_guard lock(context->mutex);
    auto it = std::find_if(context->modules.begin(), context->modules.end(), [&](auto &m) { return m.get() == module; });
    if (it == context->modules.end()) return fail(TESS_ERROR_ARGUMENT, "tessModuleUnload: not a live module");
    dying = std::move(*it);
    context->modules.erase(it);
    return TessStatus(TESS_OK);
  });
}

TessStatus tessKernelGet(TessModule module, const char *name, TessKernel *kernel) {
  return guarded([&] {
    if (TessStatus status = requireStarted()) return status;
    if (TessStatus status = requireLive(module, "tessKernelGet")) return status;
    if (!name || !kernel) return fail(TESS_ERROR_ARGUMENT, "tessKernelGet: %s is NULL", !name ? "name" : "kernel");
    *kernel = nullptr;
    std::lock_guard lock(module->mutex);
    if (auto it = module->kernels.find(name); it != module->kernels.end()) {
      *kernel = handleOf(it->second.get());
      return TessStatus(TESS_OK);
    }
    auto made = std::make_unique<TessKernelObject>();
    made->context = module->context;
    made->name = name;
    if (TessStatus status = module->code->find(name, made->entry)) return status;
    *kernel = handleOf(made.get());
    module->kernels[name] = std::move(made);
    return TessStatus(TESS_OK);
  });
}

TessStatus tessKernelSetDeterministic(TessKernel kernel, int32_t deterministic) {
  return guarded([&] {
    if (TessStatus status = requireStarted()) return status;
    if (TessStatus status = requireLive(kernel, "tessKernelSetDeterministic")) return status;
    kernel->deterministic = deterministic != 0;
    return TessStatus(TESS_OK);
  });
}

TessStatus tessLaunch(TessKernel kernel, const TessLaunchConfig *config, void *const *arguments, int32_t argument_count, TessStream stream) {
  return guarded([&] {
    if (TessStatus status = requireStarted()) return status;
    if (TessStatus status = requireLive(kernel, "tessLaunch")) return status;
    if (!config) return fail(TESS_ERROR_ARGUMENT, "tessLaunch: config is NULL");
    if (argument_count < 0 || (argument_count > 0 && !arguments))
      return fail(TESS_ERROR_ARGUMENT, "tessLaunch: %d arguments at %p", argument_count, static_cast<const void *>(arguments));
    if (config->flags & ~uint32_t(TESS_LAUNCH_DETERMINISTIC))
      return fail(TESS_ERROR_ARGUMENT, "tessLaunch: unknown flags %#x", config->flags);
    TessNumericsPolicy policy;
    {
      std::lock_guard lock(kernel->context->mutex);
      policy = kernel->context->policy;
    }
    if (((config->flags & TESS_LAUNCH_DETERMINISTIC) || policy.deterministic) && !kernel->deterministic)
      return fail(TESS_ERROR_NOT_DETERMINISTIC,
                  "`%s` is not stated to be deterministic: nothing was run. If its manifest says that it is, "
                  "call tessKernelSetDeterministic(kernel, 1)", kernel->name.c_str());
    for (int axis = 0; axis < 3; ++axis) {
      if (config->group[axis] == 0) return fail(TESS_ERROR_ARGUMENT, "tessLaunch: group[%d] is 0", axis);
      if (config->grid[axis] == 0) return TessStatus(TESS_OK);
    }
    return kernel->entry->launch(*config, arguments, argument_count, stream, policy);
  });
}

}  // extern "C"
